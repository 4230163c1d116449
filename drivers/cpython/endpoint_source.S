/* The text of endpoint.py, terminated. */
        .section .rodata
        .globl endpoint_source
endpoint_source:
        .incbin "endpoint.py"
        .byte 0
        .section .note.GNU-stack,"",@progbits
