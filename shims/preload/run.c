/* One run: the engine waits, and the harness says what comes first. While the harness has promised that nothing comes (`until`), the
 * engine runs on by itself; what it sends then is held back, and given at its own time. */
#include "preload.h"

/* An engine that neither sends nor waits for long must not leave the harness without a reply. */
static const micros FARTHEST_AHEAD = 10 * SECOND;

/* What was sent at one time: a reply's `tx`, with room in front for the beginning of the line. */
struct batch {
    char text[HEAD_ROOM + LINE_MOST];
    size_t size;
    micros at;
};
static struct batch batches[2];
static struct batch *replied = &batches[0]; /* goes with the reply to the request that is open */
static struct batch *held = &batches[1];    /* was sent ahead of it */
static micros offset_us;   /* time of the engine minus time of the harness */
static micros request_at;  /* time of the engine */
static micros quiet_until; /* nothing is asked before, in time of the engine; negative: unknown */
static int is_open;        /* a request waits for its reply */
int own_host;

static void opened(const struct request *request) {
    is_open = 1;
    request_at = request->now + offset_us;
    quiet_until = request->until < 0 ? FOREVER : request->until + offset_us;
}

void run_begins(const struct request *open) {
    own_host = (int)open->host;
    same_address = open->same_address != 0;
    offset_us = now_us - open->now;
    console_new();
    game_new();
    random_begins(open->seed, own_host);
    opened(open);
    stage = RUNNING;
    say(2, "a run begins: host %d, seed %s, at %lld us of the harness", own_host, open->seed, (long long)open->now);
}

/* One write for a reply, whatever it holds: the beginning is put in front of what stands in the batch. */
static void reply(micros wake) {
    char head[HEAD_ROOM];
    char *text = replied->text;
    size_t size = replied->size;
    int n = snprintf(head, sizeof head, size ? "{\"seq\":%llu,\"tx\":[" : "{\"seq\":%llu", (unsigned long long)line_seq);
    char *begin = text + HEAD_ROOM - n;
    memcpy(begin, head, (size_t)n);
    size += HEAD_ROOM;
    if (replied->size) {
        text[size++] = ']';
    }
    if (wake >= 0) {
        size += (size_t)sprintf(text + size, ",\"wake\":%lld", (long long)(wake - offset_us));
    }
    text[size++] = '}', text[size++] = '\n';
    line_write(begin, (size_t)(text + size - begin));
    replied->size = 0;
    is_open = 0;
}

/* Whether the wait may end without a word to the harness. */
static int may_run_on(micros target) {
    return quiet_until >= 0 && target >= 0 && target < quiet_until && !replied->size && !held->size && target - request_at < FARTHEST_AHEAD;
}

static void receive(const struct request *request) {
    static uint8_t bytes[LINE_MOST / 2];
    struct sockaddr_in from;
    size_t n = request->bytes.size / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned high = (unsigned char)request->bytes.at[2 * i], low = (unsigned char)request->bytes.at[2 * i + 1];
        high = high <= '9' ? high - '0' : (high | 32) - 'a' + 10, low = low <= '9' ? low - '0' : (low | 32) - 'a' + 10;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    address_of((int)request->from, request->port, &from);
    struct udp *udp = game_socket(request->to_port, (struct sockaddr *)&from);
    say(4, "from host %lld port %lld (%d): %zu bytes", (long long)request->from, (long long)request->port, ntohs(from.sin_port), n);
    if (!udp || !deliver(udp, (struct sockaddr *)&from, bytes, n)) {
        say(2, "a datagram for port number %lld is lost: %s", (long long)request->to_port, udp ? "the queue is full" : "nothing is bound there");
    }
}

/* 1: something happened that the engine may see. */
static int step(const struct request *request, micros target) {
    if (request->now + offset_us < now_us) {
        die("asked at %lld us, after a promise that nothing would be asked before %lld us", (long long)request->now,
            (long long)(now_us - offset_us));
    }
    if (held->size) { /* the time has come at which it was sent */
        struct batch *other = replied;
        replied = held, held = other;
    }
    opened(request);
    if (!strcmp(request->input, "command")) {
        if (game_takes(request)) {
            now_us = request_at;
            return target >= 0 && now_us >= target;
        }
        if (console_instruct(request)) {
            now_us = request_at;
            return 1;
        }
        /* A server is not asked to connect; whoever says so to all hosts means the clients. */
        if (own_host || strcmp(request->command, "connect")) {
            line_reply(",\"error\":{\"unsupported\":\"%s: nothing is known to type for it\"}", *request->verb ? request->verb : request->command);
            is_open = 0;
        }
        return 0;
    }
    now_us = request_at;
    if (!strcmp(request->input, "datagram")) {
        receive(request);
        return 1;
    }
    return target >= 0 && now_us >= target;
}

void run_wait(micros target) {
    for (;;) {
        if (is_open) {
            if (may_run_on(target)) {
                now_us = target;
                return;
            }
            reply(held->size ? held->at : target);
        }
        const struct request *request = turn_next();
        if (!strcmp(request->op, "step")) {
            if (step(request, target)) {
                return;
            }
        } else if (!strcmp(request->op, "observe")) {
            line_reply("%s", "");
        } else if (!strcmp(request->op, "close") || !strcmp(request->op, "bye")) {
            line_reply("%s", "");
            run_is_over(*request->op == 'b');
        } else {
            line_reply(",\"error\":{\"unsupported\":\"%s in the middle of a run\"}", request->op);
        }
    }
}

static size_t put_hex(char *out, const uint8_t *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4], out[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * size;
}

void run_transmit(int host, int64_t port, int64_t from_port, const void *bytes, size_t size) {
    if (stage != RUNNING) {
        return;
    }
    own_lock();
    struct batch *batch = is_open && now_us == request_at ? replied : held;
    if (batch->size + 2 * size + 200 > LINE_MOST) {
        say(0, "datagrams are lost: a reply would be longer than %d bytes", LINE_MOST);
        own_unlock();
        return;
    }
    char *begin = batch->text + HEAD_ROOM, *at = begin + batch->size;
    at += sprintf(at, "%s{\"to\":%d", batch->size ? "," : "", host);
    if (port) {
        at += sprintf(at, ",\"port\":%lld", (long long)port);
    }
    if (from_port) {
        at += sprintf(at, ",\"from_port\":%lld", (long long)from_port);
    }
    at += sprintf(at, ",\"bytes\":\"");
    at += put_hex(at, bytes, size);
    at += sprintf(at, "\"}");
    batch->size = (size_t)(at - begin), batch->at = now_us;
    own_unlock();
    say(4, "to host %d port %lld: %zu bytes", host, (long long)port, size);
}
