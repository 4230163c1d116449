static inline __attribute__((always_inline)) void hundred_nops(void) {
  __asm__ volatile(".rept 100\n nop\n .endr");
}
