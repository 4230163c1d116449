/* Functions in assembly, so that what they execute is known. */
#include "measured.h"

function loop, skips, takes, accesses, vectors, masked, moves_10, moves_1000, moves_0, stores_64, compares, scans;

__asm__(
    ".data\n.balign 64\nplace: .zero 2048\nother: .ascii \"abcX\"\n.balign 4\none: .long 1\nfive: .long 5\nsix: .long 6\n.text\n"
    "loop: movl $1000, %ecx\n1: decl %ecx\n jnz 1b\n ret\n"
    /* Two conditions in a row: where the first one decides, the second is never looked at. From memory, so that the
     * translation does not know. */
    "skips: movl five(%rip), %edi\n movl six(%rip), %esi\n"
    "conditions: cmpl $1, %edi\n jne 2f\n cmpl $6, %esi\n jne 2f\n nop\n2: jmp 3f\n3: ret\n"
    "takes: movl one(%rip), %edi\n movl six(%rip), %esi\n jmp conditions\n"
    "accesses: leaq place(%rip), %rdi\n"
    " movq (%rdi), %r8\n"                 /* load */
    " movq %r8, 8(%rdi)\n"                /* store */
    " addq $1, (%rdi)\n"                  /* load, store */
    " lock addq $1, (%rdi)\n"             /* load, store */
    " movl $7, %eax\n lock cmpxchgq %r8, 16(%rdi)\n" /* load, store */
    " xchgq %r8, 24(%rdi)\n"              /* load, store */
    " pushq %rdi\n"                       /* store */
    " popq %r9\n"                         /* load */
    " movdqu (%rdi), %xmm0\n"             /* load */
    " movdqu %xmm0, 64(%rdi)\n"           /* store */
    " ret\n"
    "vectors: leaq place(%rip), %rdi\n vmovdqu (%rdi), %ymm0\n vpaddd 32(%rdi), %ymm0, %ymm1\n"
    " vmovdqu %ymm1, 64(%rdi)\n vzeroupper\n ret\n"
    "masked: leaq place(%rip), %rdi\n vpxor %xmm1, %xmm1, %xmm1\n vpmaskmovd (%rdi), %xmm1, %xmm0\n"
    " vmovdqu %xmm0, 64(%rdi)\n ret\n"
    "moves_10: movl $10, %ecx\n jmp moves\n"
    "moves_1000: movl $1000, %ecx\n jmp moves\n"
    "moves_0: movl $0, %ecx\n jmp moves\n"
    "moves: leaq place(%rip), %rsi\n leaq place+1024(%rip), %rdi\n rep movsb\n ret\n"
    "stores_64: movl $64, %ecx\n xorl %eax, %eax\n leaq place(%rip), %rdi\n rep stosq\n ret\n"
    /* Ends with its third byte, not with the count. */
    "compares: movl $100, %ecx\n movw $0x6261, place(%rip)\n movb $0x7a, place+2(%rip)\n leaq place(%rip), %rsi\n"
    " leaq other(%rip), %rdi\n repe cmpsb\n ret\n"
    "scans: movl $100, %ecx\n movl $0x58, %eax\n leaq other(%rip), %rdi\n repne scasb\n ret\n");

int main(void) {
  begin();
  tell("loop", loop);
  tell("skips", skips);
  tell("takes", takes);
  tell("accesses", accesses);
  tell("vectors", vectors);
  tell("masked", masked);
  tell("moves_10", moves_10);
  tell("moves_1000", moves_1000);
  tell("moves_0", moves_0);
  tell("stores_64", stores_64);
  tell("compares", compares);
  tell("scans", scans);
  return 0;
}
