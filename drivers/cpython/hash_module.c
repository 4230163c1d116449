/* The module's source as the interpreter comes with it. */
#include "_hashopenssl.c"
