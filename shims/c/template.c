/* A @ROLE@ of @PROFILE@ under test by deltaproof. It does nothing yet: put your own code where it says so.
 *
 *     make
 *     deltaproof shim doctor -- ./my_shim
 *     deltaproof run --profile @PROFILE@ --role @ROLE@ --shim ./my_shim */
#define DELTAPROOF_SHIM_IMPLEMENTATION
#include "deltaproof_shim.h"

/* One end of one run. Your code must have no clock, no socket and no randomness of its own: all of that comes from here. */
typedef struct mine {
    uint64_t tick_us;
} mine;

static void *mine_open(ds_host *host) {
    mine *self = (mine *)calloc(1, sizeof *self);
    if (!self) {
        abort();
    }
    /* The scenario's options (`deltaproof list --words`), such as the time between your packets. */
@client|    self->tick_us = (uint64_t)ds_option(host, "client_tick_us", 50000);
@server|    self->tick_us = (uint64_t)ds_option(host, "tick_us", 50000);
    /* Begin your engine's state here. Nothing of a run before may be left. */
    return self;
}

static void mine_command(ds_host *host, void *context, uint64_t now, const ds_command *command) {
@client|    mine *self = (mine *)context;
@client|    if (strcmp(command->name, "connect") == 0) {
@client|        /* Build your first datagram, and send it to the server, which is host 0:
@client|         * ds_send(host, 0, 0, bytes, size);
@client|         * ds_state(host, 0, 0, OLD, NEW, "");    (names of states: `deltaproof list --words`) */
@client|        ds_wake(host, now + self->tick_us);
@client|        return;
@client|    }
@client|    if (strcmp(command->name, "disconnect") == 0) {
@client|        ds_no_wake(host);
@client|        return;
@client|    }
@server|    static const char *const of_world[] = {"baseline", "spawn", "set", "remove", "stat", "map"};
@server|    for (size_t i = 0; i < sizeof of_world / sizeof *of_world; i++) {
@server|        if (strcmp(command->name, of_world[i]) == 0) {
@server|            /* The world changes, perhaps before any client is there: command->entity, command->field and command->value say
@server|             * how. A server whose world is its own leaves this out, and says so: shim.takes_no_world = 1. */
@server|            (void)context, (void)now;
@server|            return;
@server|        }
@server|    }
    ds_unsupported(host, command->name);
}

static void mine_datagram(ds_host *host, void *context, uint64_t now, int from, int port, const uint8_t *bytes, size_t size) {
@client|    /* Give it to your engine, and send what that answers. */
@client|    (void)host, (void)context, (void)now, (void)from, (void)port, (void)bytes, (void)size;
@server|    mine *self = (mine *)context;
@server|    /* It comes from client `from`, whom you answer: ds_send(host, from, port, bytes, size). A client that is admitted, is in the game or
@server|     * leaves changes its state, by the names of `deltaproof list --words`: ds_state(host, from, 0, OLD, NEW, ""). From the first of
@server|     * them on you need a clock. */
@server|    (void)from, (void)port, (void)bytes, (void)size;
@server|    ds_wake(host, now + self->tick_us);
}

static void mine_timeout(ds_host *host, void *context, uint64_t now) {
    mine *self = (mine *)context;
    /* A tick has passed. Send what is due, and ask for the next one. */
    ds_wake(host, now + self->tick_us);
}

static void mine_observe(ds_host *host, void *context) {
@client|    /* What the player sees: ds_show_state, ds_show_world, ds_show_entity for each, ds_show_stat_int. */
@server|    /* A server shows nothing. */
    (void)host, (void)context;
}

static void mine_close(ds_host *host, void *context) {
    (void)host;
    free(context);
}

int main(void) {
    static const char *const profiles[] = {"@PROFILE@", NULL};
    ds_shim shim;
    memset(&shim, 0, sizeof shim);
    shim.name = "My engine";
    shim.build = "0.1";
    shim.profiles = profiles;
    shim.is_@ROLE@ = 1;
    shim.open = mine_open;
    shim.command = mine_command;
    shim.datagram = mine_datagram;
    shim.timeout = mine_timeout;
    shim.observe = mine_observe;
    shim.close = mine_close;
    return ds_run(&shim);
}
