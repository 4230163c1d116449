/* Runs inside a driver, compiled there by Frida: what is added to each block of its code. */
#include <capstone.h>
#include <gum/gumstalker.h>

typedef struct _Block Block;
typedef struct _Shared Shared;

/* `tlslab_block` and `tlslab_blocks` of preload/tlslab_blocks.h. */
struct _Block {
  guint64 address;
  guint32 instructions;
  guint32 padding;
};
struct _Shared {
  guint64 *current;
  Block *known;
  guint64 blocks;
  guint64 followed;
};

#define MOST_BLOCKS (1 << 18)

extern guint64 forged_word (void);
extern guint64 forged_stamp (void);

/* RDRAND and RDSEED by the operand's number, from 0 for RAX. */
static void give (GumCpuContext *cpu, guint number, guint64 value) {
  switch (number) {
  case 0: cpu->rax = value; break;
  case 1: cpu->rcx = value; break;
  case 2: cpu->rdx = value; break;
  case 3: cpu->rbx = value; break;
  case 4: cpu->rsp = value; break;
  case 5: cpu->rbp = value; break;
  case 6: cpu->rsi = value; break;
  case 7: cpu->rdi = value; break;
  case 8: cpu->r8 = value; break;
  case 9: cpu->r9 = value; break;
  case 10: cpu->r10 = value; break;
  case 11: cpu->r11 = value; break;
  case 12: cpu->r12 = value; break;
  case 13: cpu->r13 = value; break;
  case 14: cpu->r14 = value; break;
  case 15: cpu->r15 = value; break;
  }
}

/* The low bits of `operand` are its number, the others how many bits of a word it takes: 64 or 32. */
static void draw (GumCpuContext *cpu, gpointer operand) {
  guint64 word = forged_word ();
  guint what = GPOINTER_TO_SIZE (operand);
  give (cpu, what & 15, (what >> 4) == 64 ? word : word >> 32);
}

static void stamp (GumCpuContext *cpu, gpointer tells_processor) {
  guint64 now = forged_stamp ();
  cpu->rax = now & 0xffffffff;
  cpu->rdx = now >> 32;
  if (tells_processor != NULL) cpu->rcx = 0;
}

/* Replaces an instruction whose answer depends on more than the program; false for any other instruction. */
static gboolean forge (GumStalkerIterator *iterator, GumX86Writer *writer, const cs_insn *instruction) {
  const guint8 *at = instruction->bytes;
  const guint8 *end = at + instruction->size;
  guint rex = 0;
  guint8 last;
  while (at < end && (*at == 0x66 || *at == 0xf2 || *at == 0xf3)) at++;
  if (at < end && (*at & 0xf0) == 0x40) rex = *at++;
  if (end - at < 2 || at[0] != 0x0f) return FALSE;
  if (at[1] == 0x31) {
    gum_stalker_iterator_put_callout (iterator, stamp, NULL, NULL);
    return TRUE;
  }
  if (end - at != 3) return FALSE;
  last = at[2];
  if (at[1] == 0x01 && last == 0xf9) {
    gum_stalker_iterator_put_callout (iterator, stamp, GSIZE_TO_POINTER (1), NULL);
    return TRUE;
  }
  /* With a memory operand, and after F3, the same opcode is something else. */
  if (at[1] != 0xc7 || last < 0xf0 || instruction->bytes[0] == 0xf3) return FALSE;
  gum_stalker_iterator_put_callout (iterator, draw,
      GSIZE_TO_POINTER ((gsize) ((last & 7) | (rex & 1) << 3 | ((rex & 8) ? 64 : 32) << 4)), NULL);
  /* The carry says that there was a number. */
  gum_x86_writer_put_u8 (writer, 0xf9);
  return TRUE;
}

/* 1 more run of the block, without touching flags or what lies below the stack's end. */
static void count (GumX86Writer *writer, Shared *shared, guint64 number) {
  gum_x86_writer_put_lea_reg_reg_offset (writer, GUM_X86_RSP, GUM_X86_RSP, -128);
  gum_x86_writer_put_push_reg (writer, GUM_X86_RAX);
  gum_x86_writer_put_push_reg (writer, GUM_X86_RCX);
  gum_x86_writer_put_mov_reg_address (writer, GUM_X86_RCX, GUM_ADDRESS (&shared->current));
  gum_x86_writer_put_mov_reg_reg_ptr (writer, GUM_X86_RCX, GUM_X86_RCX);
  gum_x86_writer_put_mov_reg_reg_offset_ptr (writer, GUM_X86_RAX, GUM_X86_RCX, number * 8);
  gum_x86_writer_put_lea_reg_reg_offset (writer, GUM_X86_RAX, GUM_X86_RAX, 1);
  gum_x86_writer_put_mov_reg_offset_ptr_reg (writer, GUM_X86_RCX, number * 8, GUM_X86_RAX);
  gum_x86_writer_put_pop_reg (writer, GUM_X86_RCX);
  gum_x86_writer_put_pop_reg (writer, GUM_X86_RAX);
  gum_x86_writer_put_lea_reg_reg_offset (writer, GUM_X86_RSP, GUM_X86_RSP, 128);
}

void transform (GumStalkerIterator *iterator, GumStalkerOutput *output, gpointer user_data) {
  Shared *shared = user_data;
  GumX86Writer *writer = output->writer.x86;
  guint64 number = shared->blocks < MOST_BLOCKS ? shared->blocks++ : 0;
  guint32 instructions = 0;
  const cs_insn *instruction;
  while (gum_stalker_iterator_next (iterator, &instruction)) {
    if (instructions++ == 0) {
      shared->known[number].address = instruction->address;
      count (writer, shared, number);
    }
    if (!forge (iterator, writer, instruction)) gum_stalker_iterator_keep (iterator);
  }
  shared->known[number].instructions = instructions;
}
