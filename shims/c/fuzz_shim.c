/* Feeds the reader of deltaproof_shim.h with damaged requests: a target for libFuzzer, and with a main of its own otherwise.
 *
 *     cc -g -fsanitize=address,undefined fuzz_shim.c -o fuzz_shim && ./fuzz_shim 200000 1
 *     clang -g -fsanitize=fuzzer,address,undefined -DLIBFUZZER fuzz_shim.c -o fuzz_shim && ./fuzz_shim */
#define DELTAPROOF_SHIM_IMPLEMENTATION
#include "deltaproof_shim.h"

/* A host that does everything that a host can do, with what it is given. */
static void *on_open(ds_host *host) {
    ds_wake(host, (uint64_t)ds_option(host, "tick_us", 0));
    ds_print(host, ds_text(host, "map", ""), strlen(ds_text(host, "map", "")));
    return host;
}

static void on_command(ds_host *host, void *self, uint64_t now, const ds_command *command) {
    int64_t arguments[3];
    (void)self, (void)now;
    arguments[0] = command->value, arguments[1] = ds_argument(command, "frame"), arguments[2] = command->client;
    ds_note(host, command->verb, arguments, 3);
    ds_state(host, command->stat, 1, command->name, command->field, "");
    if (command->entity == 99) {
        ds_unsupported(host, command->name);
    }
}

static void on_datagram(ds_host *host, void *self, uint64_t now, int from, int port, const uint8_t *bytes, size_t size) {
    (void)self, (void)now;
    ds_send(host, from, port, bytes, size);
    ds_rejected(host, from, size, "all");
    ds_port(host, port);
}

static void on_timeout(ds_host *host, void *self, uint64_t now) {
    (void)self;
    ds_wake(host, now + 1);
}

static void on_observe(ds_host *host, void *self) {
    static const int32_t fields[2] = {-1, 7};
    (void)self;
    ds_show_state(host, "active");
    ds_show_world(host, 1, 0, (uint32_t)ds_clients(host));
    ds_show_entity(host, 1, fields, 2);
    ds_show_static(host, fields, 2);
    ds_show_stat_int(host, 3, -5);
    ds_show_stat_float(host, 4, 0xffffffffu);
}

static void on_close(ds_host *host, void *self) {
    (void)host, (void)self;
}

static const char *const profiles[] = {"fte-nq", "r1q2-35", NULL};
static const char *const not_shown[] = {"alpha", "stats", NULL};
static const ds_shim shim = {"fuzz", "1", profiles, 1, 1, on_open, on_command, on_datagram, on_timeout, on_observe, on_close, not_shown, profiles, 1, 0};

/* Every line of the input is a request of one session. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ds_session *session = ds_begin(&shim);
    while (size > 0) {
        const uint8_t *end = (const uint8_t *)memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size, reply_size = 0;
        /* Of just that size, so that a byte too much is seen. */
        char *line = (char *)malloc(length ? length : 1);
        const char *why = NULL, *reply;
        if (!line) {
            break;
        }
        memcpy(line, data, length);
        reply = ds_answer(session, line, length, &reply_size, &why);
        if (reply ? reply_size < 2 || reply[reply_size - 1] != '\n' : why == NULL) {
            abort();
        }
        free(line);
        data += length + (end ? 1 : 0);
        size -= length + (end ? 1 : 0);
    }
    ds_end(session);
    return 0;
}

#ifndef LIBFUZZER
static const char good[] =
    "{\"seq\":0,\"op\":\"hello\",\"version\":1}\n"
    "{\"seq\":1,\"op\":\"open\",\"host\":1,\"clients\":2,\"profile\":\"fte-nq\",\"seed\":\"00000000000004d2\",\"options\":{\"tick_us\":50000},"
    "\"texts\":{\"map\":\"\\u00e9\\ud83d\\ude00\\n\\\"\"}}\n"
    "{\"seq\":2,\"op\":\"step\",\"host\":1,\"now\":1250000,\"input\":\"datagram\",\"from\":0,\"port\":7,\"bytes\":\"8000000c0103515541\"}\n"
    "{\"seq\":3,\"op\":\"step\",\"host\":1,\"now\":18446744073709551615,\"input\":\"timeout\"}\n"
    "{\"seq\":4,\"op\":\"step\",\"host\":1,\"now\":0,\"input\":\"command\",\"command\":\"set\",\"entity\":5,\"field\":\"frame\",\"value\":-7}\n"
    "{\"seq\":5,\"op\":\"step\",\"host\":1,\"now\":0,\"input\":\"command\",\"command\":\"stat\",\"client\":1,\"stat\":3,\"float\":1056964608}\n"
    "{\"seq\":6,\"op\":\"step\",\"host\":1,\"now\":0,\"input\":\"command\",\"command\":\"verb\",\"verb\":\"acknowledge\",\"args\":{\"frame\":5}}\n"
    "{\"seq\":7,\"op\":\"observe\",\"host\":1}\n{\"seq\":8,\"op\":\"close\",\"host\":1}\n{\"seq\":9,\"op\":\"bye\"}\n";

static uint64_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

int main(int count, char **arguments) {
    unsigned long runs = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    random_state = 88172645463325252u + (count > 2 ? strtoul(arguments[2], NULL, 10) : 1);
    for (unsigned long run = 0; run < runs; run++) {
        uint8_t data[sizeof good + 64];
        size_t size = sizeof good - 1;
        memcpy(data, good, size);
        for (uint32_t changes = random_below(6); changes > 0; changes--) {
            static const char likely[] = "{}[]\",:\\u0-9.eE\n\t";
            size_t place = random_below((uint32_t)size), length = 1 + random_below(8);
            switch (random_below(4)) {
            case 0:
                data[place] = (uint8_t)random_below(256);
                break;
            case 1:
                data[place] = (uint8_t)likely[random_below((uint32_t)sizeof likely - 1)];
                break;
            case 2: /* a part is left out */
                length = length < size - place ? length : size - place;
                memmove(data + place, data + place + length, size - place - length);
                size -= length;
                break;
            default: /* a part comes twice */
                if (size + length <= sizeof data && place + length <= size) {
                    memmove(data + place + length, data + place, size - place);
                    size += length;
                }
            }
            if (size == 0) {
                break;
            }
        }
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%lu sessions with damaged requests\n", runs);
    return 0;
}
#endif
