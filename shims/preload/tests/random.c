/* Draws from every source of randomness there is, and says what it drew. */
#include "engine.h"

#include <sys/auxv.h>
#include <sys/random.h>

static unsigned from_file(int fd) {
    unsigned value = 0;
    need(read(fd, &value, sizeof value) == sizeof value, "the file of random bytes");
    return value;
}

static unsigned from_stream(FILE *stream) {
    unsigned value = 0;
    need(fread(&value, sizeof value, 1, stream) == 1, "the stream of random bytes");
    return value;
}

int main(void) {
    int fd = bound(27910), file = open("/dev/urandom", O_RDONLY);
    FILE *stream = fopen("/dev/random", "rb");
    unsigned own = 7, first = 0;
    char *name;
    from_stream(stream); /* at boot, too: what is read ahead would not know the seed */
    srand(1), srandom(1);
    int at_boot = rand();
    for (;;) {
        struct peer peer;
        char *text = receive(fd, &peer, 0), sum[400];
        unsigned words[2] = {0, 0};
        getrandom(&words[0], sizeof words[0], 0), getentropy(&words[1], sizeof words[1]);
        memcpy(&first, (void *)getauxval(AT_RANDOM), sizeof first);
        if (!strcmp(text, "sow")) {
            srand(1);
        }
        snprintf(sum, sizeof sum, "%d %ld %d %ld %.6f %u %u %u %u %u %d", rand(), random(), rand_r(&own), lrand48(), drand48(), words[0], words[1],
                 from_file(file), from_stream(stream), first, at_boot);
        name = sum;
        answer(fd, &peer, "%s", name);
    }
}
