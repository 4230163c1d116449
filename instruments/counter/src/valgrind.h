/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valgrind's interface for tools, in the order in which its headers need each other. */
#ifndef TL_VALGRIND_H
#define TL_VALGRIND_H

#include <stddef.h>

#include "pub_tool_basics.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "libvex_guest_amd64.h"

#if !defined(VGA_amd64) || !defined(VGO_linux)
#error "the counter knows 64-bit x86 under Linux only"
#endif

/* A register of the program's. */
#define REGISTER(name) offsetof(VexGuestAMD64State, guest_##name)

#endif
