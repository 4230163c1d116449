/* A program without a library, whose every instruction is here. The last three are executed only once the kernel is asked
 * to end it. */
__asm__(
    ".data\nplace: .zero 256\n.text\n.globl _start\n_start:\n"
    " movl $100, %ecx\n1: addq $1, place(%rip)\n movq place(%rip), %r8\n movq %r8, place+8(%rip)\n decl %ecx\n jnz 1b\n"
    " movl $50, %ecx\n leaq place(%rip), %rsi\n leaq place+128(%rip), %rdi\n rep movsb\n"
    " call 3f\n jmp 4f\n3: cmpl $1, %ecx\n jne 2f\n cmpl $2, %ecx\n jne 2f\n nop\n2: ret\n"
    "4: xorl %edi, %edi\n movl $60, %eax\n syscall\n");
