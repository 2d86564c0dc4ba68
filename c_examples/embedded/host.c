/* The example on a host: what the boards' hashes are compared with. */
#include "board.h"
#include <stdio.h>

void board_write(const char *text) { fputs(text, stdout); }
uint64_t board_instructions(void) { return 0; }
uint32_t board_stack(void) { return 0; }

/* The registers that the library finds: those of src/simd.rs. */
static const char *registers(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return "registers avx512\n";
    if (__builtin_cpu_supports("avx2")) return "registers avx2\n";
#endif
    return "registers baseline\n";
}

int main(void) {
    board_write(registers());
    return example();
}
