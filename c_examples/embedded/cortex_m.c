/* Cortex-M4F and M7F without any C library: vectors, reset, semihosting, a SysTick that counts instructions. */
#include "board.h"

extern uint32_t stack_bottom[], stack_top[], bss_start[], bss_end[];

#define PAINT UINT32_C(0x5aa5c33c)
#define SYST_CSR (*(volatile uint32_t *)0xE000E010)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018)
#define CPACR (*(volatile uint32_t *)0xE000ED88)
#define RELOAD UINT32_C(0xffffff)

static int semihost(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_write(const char *text) { semihost(0x04, text); }

__attribute__((noreturn)) static void leave(uint32_t status) {
    const uint32_t reason[2] = {0x20026, status};
    for (;;) semihost(0x20, reason);
}

static volatile uint32_t rounds;
static void tick(void) { rounds++; }

static uint64_t ticks(void) {
    uint32_t before, value;
    do {
        before = rounds;
        value = SYST_CVR;
    } while (before != rounds);
    return (uint64_t)before * (RELOAD + 1) + (RELOAD - value);
}

/* QEMU's -icount makes time of instructions; how many a tick are, a loop of known length tells. */
#define KNOWN UINT32_C(1 << 20)
static uint64_t known;

static void calibrate(void) {
    uint32_t left = KNOWN;
    uint64_t start = ticks();
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(left) : : "cc");
    known = ticks() - start;
}

uint64_t board_instructions(void) { return known ? ticks() * (2 * (uint64_t)KNOWN) / known : 0; }

uint32_t board_stack(void) {
    const uint32_t *deepest = stack_bottom;
    while (deepest < stack_top && *deepest == PAINT) deepest++;
    return (uint32_t)((const char *)stack_top - (const char *)deepest);
}

static void fault(void) {
    board_write("FAULT\n");
    leave(2);
}

static void reset(void) {
    CPACR |= UINT32_C(0xF) << 20;
    __asm__ volatile("dsb\n isb");
    for (volatile uint32_t *word = bss_start; word < (uint32_t *)bss_end; word++) *word = 0;
    uint32_t *here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    for (volatile uint32_t *word = stack_bottom; word < here; word++) *word = PAINT;
    SYST_RVR = RELOAD;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (SYST_CVR == 0) {
    }
    calibrate();
    leave((uint32_t)example());
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, tick,
};
