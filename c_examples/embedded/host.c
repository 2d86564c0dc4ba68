/* The example on a host: what the boards' hashes are compared with. */
#include "board.h"
#include <stdio.h>

void board_write(const char *text) { fputs(text, stdout); }
uint64_t board_instructions(void) { return 0; }
uint32_t board_stack(void) { return 0; }
int main(void) { return example(); }
