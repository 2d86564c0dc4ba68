/* Prints what the sensors read as a table for flash: run.sh compiles it into the example, which then reads nothing. */
#include "sensors.h"
#include <stdio.h>

int main(void) {
    printf("static const float table[][%d] = {\n", SAMPLES);
    for (uint32_t view = 0; view < VIEWS; view++) {
        for (uint32_t f = 0; f < features(view); f++) {
            for (uint32_t i = 0; i < SAMPLES; i++) printf("%s%af", i ? ", " : "    {", (double)reading(CLUSTERS, view, f, i));
            printf("},\n");
        }
    }
    printf("};\n");
    return 0;
}
