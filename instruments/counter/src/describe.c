/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "describe.h"

/* Unknown names, as in callgrind. */
#define UNKNOWN "???"

typedef struct Kept {
  struct Kept *next;
  UWord key;
  const HChar *text;
} Kept;

static VgHashTable *names;

static Word is_other_text(const void *one, const void *other) {
  return VG_(strcmp)(((const Kept *)one)->text, ((const Kept *)other)->text);
}

Name tl_name(const HChar *text, UWord length) {
  if (names == NULL) names = VG_(HT_construct)("tl.names");
  HChar *copy = VG_(malloc)("tl.name", length + 1);
  VG_(memcpy)(copy, text, length);
  copy[length] = 0;
  /* FNV-1a */
  UWord key = 14695981039346656037ULL;
  for (UWord at = 0; at < length; at++) key = (key ^ (UChar)text[at]) * 1099511628211ULL;
  Kept wanted = {.key = key, .text = copy};
  Kept *kept = VG_(HT_gen_lookup)(names, &wanted, is_other_text);
  if (kept != NULL) {
    VG_(free)(copy);
    return kept->text;
  }
  kept = VG_(malloc)("tl.kept", sizeof *kept);
  *kept = wanted;
  VG_(HT_add_node)(names, kept);
  return copy;
}

static Name unknown(void) { return tl_name(UNKNOWN, sizeof UNKNOWN - 1); }

/* The text between two tags, unescaped; NULL if the tags are missing. */
static Name between(const HChar *text, const HChar *open, const HChar *close) {
  const HChar *begin = VG_(strstr)(text, open);
  if (begin == NULL) return NULL;
  begin += VG_(strlen)(open);
  const HChar *end = VG_(strstr)(begin, close);
  if (end == NULL) return NULL;
  HChar *plain = VG_(malloc)("tl.plain", end - begin + 1);
  UWord length = 0;
  static const struct { const HChar *written; HChar meant; } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
  for (const HChar *at = begin; at < end;) {
    HChar meant = *at;
    UWord width = 1;
    for (UInt kind = 0; kind < 3; kind++) {
      UWord written = VG_(strlen)(entities[kind].written);
      if (VG_(strncmp)(at, entities[kind].written, written) == 0) {
        meant = entities[kind].meant;
        width = written;
      }
    }
    plain[length++] = meant;
    at += width;
  }
  Name name = tl_name(plain, length);
  VG_(free)(plain);
  return name;
}

static Name joined(Name folder, Name file) {
  if (folder == NULL || folder[0] == 0 || file[0] == '/') return file;
  UWord first = VG_(strlen)(folder), second = VG_(strlen)(file);
  HChar *path = VG_(malloc)("tl.path", first + second + 1);
  VG_(memcpy)(path, folder, first);
  path[first] = '/';
  VG_(memcpy)(path + first + 1, file, second);
  Name name = tl_name(path, first + 1 + second);
  VG_(free)(path);
  return name;
}

/* Stubs that lead to functions of other objects have no names. */
static Name unnamed(Addr address) {
  return VG_(DebugInfo_sect_kind)(NULL, address) == Vg_SectPLT ? tl_name("[plt]", 5) : unknown();
}

/* Valgrind tells functions that were inlined in text alone; as XML it can be taken apart without doubt. */
static Described taken_apart(const HChar *frame, Addr address) {
  Name function = between(frame, "<fn>", "</fn>");
  Name file = between(frame, "<file>", "</file>");
  Name line = between(frame, "<line>", "</line>");
  return (Described){
      .function = function == NULL ? unnamed(address) : function,
      .file = file == NULL ? unknown() : joined(between(frame, "<dir>", "</dir>"), file),
      .line = line == NULL ? 0 : VG_(strtoll10)(line, NULL),
  };
}

XArray *tl_describe(DiEpoch epoch, Addr address) {
  XArray *all = VG_(newXA)(VG_(malloc), "tl.described", VG_(free), sizeof(Described));
  Bool was_xml = VG_(clo_xml);
  VG_(clo_xml) = True;
  InlIPCursor *cursor = VG_(new_IIPC)(epoch, address);
  do {
    Described one = taken_apart(VG_(describe_IP)(epoch, address, cursor), address);
    VG_(addToXA)(all, &one);
  } while (VG_(next_IIPC)(cursor));
  VG_(delete_IIPC)(cursor);
  VG_(clo_xml) = was_xml;
  return all;
}

Name tl_object(DiEpoch epoch, Addr address) {
  const HChar *object;
  return VG_(get_objname)(epoch, address, &object) ? tl_name(object, VG_(strlen)(object)) : unknown();
}

Addr tl_linked(DiEpoch epoch, Addr address) {
  DebugInfo *information = VG_(find_DebugInfo)(epoch, address);
  return information == NULL ? address : address - VG_(DebugInfo_get_text_bias)(information);
}

Addr tl_function_begins(DiEpoch epoch, Addr address) {
  const HChar *text;
  if (!VG_(get_fnname_w_offset)(epoch, address, &text)) return address;
  const HChar *plus = VG_(strrchr)(text, '+');
  if (plus == NULL) return address;
  HChar *end;
  Long offset = VG_(strtoll10)(plus + 1, &end);
  return plus[1] != 0 && *end == 0 && offset > 0 ? address - offset : address;
}
