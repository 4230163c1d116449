/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dump.h"

#include "contexts.h"
#include "options.h"
#include "profile.h"

/* The suffix of the name of the file with the functions. */
#define STACKS ".stacks"

/* A name is written out once, and has a number from then on. */
typedef struct Number {
  struct Number *next;
  UWord key; /* the name's address */
  UInt number;
} Number;

typedef struct {
  VgFile *file;
  VgHashTable *objects, *files, *functions;
  const Function *function; /* that the lines are of */
  Name source;              /* likewise */
} Writer;

static void write_name(Writer *writer, const HChar *label, VgHashTable *numbers, const void *key, Name name) {
  Number *known = VG_(HT_lookup)(numbers, (UWord)key);
  if (known != NULL) {
    VG_(fprintf)(writer->file, "%s=(%u)\n", label, known->number);
    return;
  }
  Number *fresh = VG_(malloc)("tl.number", sizeof *fresh);
  *fresh = (Number){NULL, (UWord)key, VG_(HT_count_nodes)(numbers) + 1};
  VG_(HT_add_node)(numbers, fresh);
  VG_(fprintf)(writer->file, "%s=(%u) %s\n", label, fresh->number, name);
}

static void write_counts(Writer *writer, const Counts *counts) {
  VG_(fprintf)(writer->file, "%llu %llu %llu\n", counts->instructions, counts->loads, counts->stores);
}

static void write_where(Writer *writer, const Cost *cost) {
  const Function *function = cost->function;
  if (writer->function != function) {
    VG_(fprintf)(writer->file, "\n");
    write_name(writer, "ob", writer->objects, function->object, function->object);
    write_name(writer, "fl", writer->files, function->file, function->file);
    write_name(writer, "fn", writer->functions, function, function->name);
    writer->function = function;
    writer->source = function->file;
  }
  if (writer->source != cost->file) {
    /* Lines of another file within the function, and the way back. */
    write_name(writer, cost->file == function->file ? "fe" : "fi", writer->files, cost->file, cost->file);
    writer->source = cost->file;
  }
}

static void write_cost(Writer *writer, const Cost *cost) {
  write_where(writer, cost);
  if (cost->callee != NULL) {
    write_name(writer, "cob", writer->objects, cost->callee->object, cost->callee->object);
    write_name(writer, "cfi", writer->files, cost->callee->file, cost->callee->file);
    write_name(writer, "cfn", writer->functions, cost->callee, cost->callee->name);
    /* Readers take a call that was made 0 times for no call: it has begun in another bucket, or was inlined. */
    VG_(fprintf)(writer->file, "calls=%llu 0x%lx %u\n", cost->calls == 0 ? 1 : cost->calls, cost->callee_address,
                 cost->callee_line);
  }
  VG_(fprintf)(writer->file, "0x%lx %u ", cost->address, cost->line);
  write_counts(writer, &cost->cost);
}

static void write_head(Writer *writer, UInt bucket) {
  HChar command[1024];
  VG_(client_cmd_and_args)(command, sizeof command);
  for (HChar *at = command; *at != 0; at++) {
    if (*at == '\n') *at = ' ';
  }
  VG_(fprintf)(writer->file, "# callgrind format\nversion: 1\ncreator: tlslab-counter\n");
  VG_(fprintf)(writer->file, "pid: %d\ncmd: %s\npart: 1\n\n", VG_(getpid)(), command);
  VG_(fprintf)(writer->file, "desc: Bucket: %u\n", bucket);
  VG_(fprintf)(writer->file, "event: Ir : Instructions\nevent: Dr : Data loads\nevent: Dw : Data stores\n");
  VG_(fprintf)(writer->file, "positions: instr line\nevents: Ir Dr Dw\nsummary: ");
  write_counts(writer, &tl_totals[bucket]);
}

static Name name_of(const Context *context) {
  const Place *place = tl_place(context->epoch, context->function);
  return place->levels[place->depth - 1].function->name;
}

static const Context *caller_of(const Context *context) {
  /* The outermost is what runs before any call. */
  return context->caller == NULL || context->caller->function == 0 ? NULL : context->caller;
}

/* A line: the functions, outermost first, and the last one's own cost. */
static void write_stack(void *state, const Context *context, ULong instructions) {
  if (context->function == 0) {
    VG_(fprintf)(state, "??? %llu\n", instructions);
    return;
  }
  UWord length = 0;
  for (const Context *at = context; at != NULL; at = caller_of(at)) length += VG_(strlen)(name_of(at)) + 1;
  HChar *line = VG_(malloc)("tl.stack", length);
  HChar *end = line + length;
  for (const Context *at = context; at != NULL; at = caller_of(at)) {
    Name name = name_of(at);
    UWord width = VG_(strlen)(name);
    *--end = at == context ? 0 : ';';
    end -= width;
    /* The separator of functions occurs in no name. */
    for (UWord letter = 0; letter < width; letter++) end[letter] = name[letter] == ';' ? ',' : name[letter];
  }
  VG_(fprintf)(state, "%s %llu\n", line, instructions);
  VG_(free)(line);
}

static Int write_stacks(UInt bucket, const HChar *path) {
  HChar name[VKI_PATH_MAX];
  if (VG_(snprintf)(name, sizeof name, "%s" STACKS, path) >= (Int)sizeof name) return VKI_EINVAL;
  VgFile *file = VG_(fopen)(name, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0644);
  if (file == NULL) return VKI_EACCES;
  tl_contexts_each(bucket, write_stack, file);
  VG_(fclose)(file);
  return 0;
}

Int tl_dump(UInt bucket, const HChar *path) {
  if (tl_options.functions == FUNCTIONS_NO) return VKI_EINVAL;
  Writer writer = {.file = VG_(fopen)(path, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0644)};
  if (writer.file == NULL) return VKI_EACCES;
  writer.objects = VG_(HT_construct)("tl.objects");
  writer.files = VG_(HT_construct)("tl.files");
  writer.functions = VG_(HT_construct)("tl.named");
  XArray *profile = tl_profile(bucket);
  write_head(&writer, bucket);
  for (Word at = 0; at < VG_(sizeXA)(profile); at++) write_cost(&writer, VG_(indexXA)(profile, at));
  VG_(fprintf)(writer.file, "\ntotals: ");
  write_counts(&writer, &tl_totals[bucket]);
  VG_(deleteXA)(profile);
  VG_(HT_destruct)(writer.objects, VG_(free));
  VG_(HT_destruct)(writer.files, VG_(free));
  VG_(HT_destruct)(writer.functions, VG_(free));
  VG_(fclose)(writer.file);
  return tl_options.functions == FUNCTIONS_CALLERS ? write_stacks(bucket, path) : 0;
}
