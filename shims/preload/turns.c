/* Several hosts of one run, each a child of the fork server: they share one line, and take turns. Whoever reads a request that is for
 * another hands it on, with the line; the fork server has what is for none of them. A host that is alone keeps its turn, at no cost. */
#include "preload.h"

#include <sys/eventfd.h>
#include <sys/mman.h>

struct turns {
    volatile int closed[MOST_HOSTS]; /* the run was closed: the end of the process is no fault */
    volatile int host[MOST_HOSTS];   /* -1: free */
    volatile int bye;
    volatile size_t size; /* of the request that is handed on; 0: the next is to be read */
    char line[LINE_MOST + 1];
};
static struct turns *turns, *outer; /* `outer`: of the supervisor, where there is one */
static int bells[MOST_HOSTS];
static int own_slot, outer_slot;
static int takes_turns;

void turns_prepare(void) {
    void *page = mmap(NULL, sizeof *turns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (page == MAP_FAILED) {
        die("no shared memory: %s", strerror(errno));
    }
    outer = turns, outer_slot = own_slot;
    turns = page, own_slot = 0;
    for (int i = 0; i < MOST_HOSTS; i++) {
        turns->host[i] = -1;
        bells[i] = protected_fd((int)KERNEL(SYS_eventfd2, 0, EFD_CLOEXEC));
    }
}

int turn_bell(void) {
    return bells[own_slot];
}

int turn_slot_of(int64_t host) {
    for (int i = 1; i < MOST_HOSTS; i++) {
        if (turns->host[i] == host) {
            return i;
        }
    }
    return 0;
}

int turn_take_slot(int64_t host) {
    for (int i = 1; i < MOST_HOSTS; i++) {
        if (turns->host[i] == -1) {
            turns->host[i] = (int)host, turns->closed[i] = 0;
            return i;
        }
    }
    return 0;
}

void turn_enter(int slot, int with_others) {
    own_slot = slot, takes_turns = with_others;
}

static void ring(int slot) {
    uint64_t one = 1;
    KERNEL(SYS_write, bells[slot], &one, sizeof one);
}

void turn_pass(const struct request *request, int slot) {
    memmove(turns->line, request->whole.at, request->whole.size);
    turns->size = request->whole.size;
    ring(slot);
}

/* What was handed on with the turn; NULL: the turn alone. */
const struct request *turn_arrived(void) {
    uint64_t count;
    while (KERNEL(SYS_read, bells[own_slot], &count, sizeof count) == -EINTR) {
    }
    return turns->size ? line_parse(turns->line, turns->size) : NULL;
}

int is_for_a_host(const struct request *request) {
    return !strcmp(request->op, "step") || !strcmp(request->op, "observe") || !strcmp(request->op, "close");
}

static int is_for_server(const struct request *request) {
    return !strcmp(request->op, "open") || !strcmp(request->op, "hello") || !strcmp(request->op, "bye");
}

const struct request *turn_next(void) {
    const struct request *request = line_next();
    while (takes_turns && request && (is_for_server(request) || (is_for_a_host(request) && request->host != own_host))) {
        turn_pass(request, is_for_server(request) ? 0 : turn_slot_of(request->host));
        request = turn_arrived();
    }
    return request;
}

int turn_has_closed(int slot) {
    return turns->closed[slot];
}

int turn_is_closed(int slot) {
    int is = turns->closed[slot];
    if (is) {
        turns->closed[slot] = 0, turns->host[slot] = -1;
    }
    return is;
}

int turn_bye(void) {
    return turns->bye;
}

/* Ends this process after a run, which is no fault; or with all of it. */
void run_is_over(int bye) {
    if (bye && outer) {
        outer->bye = 1, outer->closed[outer_slot] = 1;
    }
    if (turns) {
        turns->bye = bye;
        turns->closed[own_slot] = 1;
        turns->size = 0;
        ring(0);
    }
    KERNEL(SYS_exit_group, 0);
}
