/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chance and time, made repeatable. Nothing here protects anything. */
#ifndef TL_FORGE_H
#define TL_FORGE_H

#include "valgrind.h"

/* Restarts the RNG from a seed, and the clocks from their beginning. */
void tl_forge_seed(ULong seed);

/* The 16 bytes that the kernel leaves for each process, before its first instruction. */
void tl_forge_at_random(ThreadId thread);

/* After a system call: replaces what it said. */
void tl_forge_call(ThreadId thread, UInt number, const UWord *arguments, SysRes result);

/* Changes what translated code calls for the instructions that draw a random number, read the time stamp or tell the
 * processor's features. Adds the statement, changed or not, to the block. */
void tl_forge_helper(IRSB *block, IRStmt *statement);

/* Reads which features the program is not to see, from its environment. */
void tl_forge_mask(void);

/* The next word of forged chance. */
ULong tl_forge_word(void);

/* The next time stamp. */
ULong tl_forge_stamp(void);

#endif
