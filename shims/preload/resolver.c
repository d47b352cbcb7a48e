/* Names of hosts: numbers, localhost and the engine's own. Nobody else has a name, and nobody is asked. */
#include "preload.h"

#include <arpa/inet.h>
#include <netdb.h>

/* 4 or 6: the family's number; 0: there is no such host. */
static int find(const char *name, struct in_addr *four, struct in6_addr *six) {
    if (inet_aton(name, four)) {
        return 4;
    }
    char bare[64];
    snprintf(bare, sizeof bare, "%s", name);
    bare[strcspn(bare, "%")] = 0; /* a zone */
    if (inet_pton(AF_INET6, bare, six) == 1) {
        return 6;
    }
    if (!strcasecmp(name, "localhost")) {
        four->s_addr = htonl(INADDR_LOOPBACK);
        return 4;
    }
    if (!strcasecmp(name, own_name)) {
        four->s_addr = htonl(own_ip());
        return 4;
    }
    return 0;
}

static int port_named(const char *service, uint16_t *port) {
    char *end;
    long n = strtol(service, &end, 10);
    if (*service && !*end && n >= 0 && n <= 65535) {
        *port = htons((uint16_t)n);
        return 1;
    }
    return 0;
}

struct entry {
    struct addrinfo info;
    struct sockaddr_storage address;
    char name[256];
};

static struct addrinfo *put(struct addrinfo *after, int family, const void *address, socklen_t size, int type, int protocol, const char *name) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        return after;
    }
    memcpy(&entry->address, address, size);
    entry->info.ai_family = family, entry->info.ai_socktype = type, entry->info.ai_protocol = protocol;
    entry->info.ai_addrlen = size, entry->info.ai_addr = (struct sockaddr *)&entry->address, entry->info.ai_next = after;
    if (name) {
        snprintf(entry->name, sizeof entry->name, "%s", name);
        entry->info.ai_canonname = entry->name;
    }
    return &entry->info;
}

/* One entry for each kind of socket that was asked for. */
static struct addrinfo *put_all(struct addrinfo *after, int family, const void *address, socklen_t size, const struct addrinfo *hints,
                                const char *name) {
    int type = hints ? hints->ai_socktype : 0;
    if (!type || type == SOCK_RAW) {
        after = put(after, family, address, size, SOCK_RAW, IPPROTO_IP, NULL);
    }
    if (!type || type == SOCK_DGRAM) {
        after = put(after, family, address, size, SOCK_DGRAM, IPPROTO_UDP, type ? name : NULL);
    }
    if (!type || type == SOCK_STREAM) {
        after = put(after, family, address, size, SOCK_STREAM, IPPROTO_TCP, name);
    }
    return after;
}

static int both(struct addrinfo **out, int want, const struct sockaddr_in *four, const struct sockaddr_in6 *six, const struct addrinfo *hints,
                const char *name) {
    struct addrinfo *all = NULL;
    if (six && want != AF_INET) {
        all = put_all(all, AF_INET6, six, sizeof *six, hints, name);
    }
    if (four && want != AF_INET6) {
        all = put_all(all, AF_INET, four, sizeof *four, hints, name);
    }
    *out = all;
    return all ? 0 : EAI_NONAME;
}

OURS(int, getaddrinfo, (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)) {
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    uint16_t port = 0;
    int want = hints ? hints->ai_family : AF_UNSPEC, flags = hints ? hints->ai_flags : 0;
    const char *name = flags & AI_CANONNAME ? node : NULL;
    memset(&four, 0, sizeof four), memset(&six, 0, sizeof six);
    if ((!node && !service) || (service && !port_named(service, &port))) {
        return node || service ? EAI_SERVICE : EAI_NONAME;
    }
    four.sin_family = AF_INET, six.sin6_family = AF_INET6, four.sin_port = six.sin6_port = port;
    if (!node) {
        if (!(flags & AI_PASSIVE)) {
            four.sin_addr.s_addr = htonl(INADDR_LOOPBACK), six.sin6_addr = in6addr_loopback;
        }
        return both(out, want, &four, &six, hints, name);
    }
    switch (find(node, &four.sin_addr, &six.sin6_addr)) {
    case 6: return both(out, want, NULL, &six, hints, name);
    case 4: break;
    default: return EAI_NONAME;
    }
    if (want == AF_INET6 && flags & AI_V4MAPPED) {
        struct sockaddr_storage mapped;
        as_family(AF_INET6, &four, &mapped);
        return both(out, want, NULL, (struct sockaddr_in6 *)&mapped, hints, name);
    }
    return both(out, want, &four, NULL, hints, name);
}

OURS(void, freeaddrinfo, (struct addrinfo * all)) {
    while (all) {
        struct addrinfo *after = all->ai_next;
        free(all);
        all = after;
    }
}

REAL(int, getnameinfo, (const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int))

OURS(int, getnameinfo, (const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size, char *service, socklen_t service_size,
                        int flags)) {
    if (flags & NI_NAMEREQD) {
        return EAI_NONAME;
    }
    return real_getnameinfo()(address, size, host, host_size, service, service_size, flags | NI_NUMERICHOST | NI_NUMERICSERV);
}

/* --- the older functions -------------------------------------------------------------------------------------------------------- */
struct answer {
    struct in_addr four;
    struct in6_addr six;
    char *addresses[2], *aliases[1];
    char name[256];
};

static int fill(struct hostent *out, struct answer *answer, const char *name, int family) {
    memset(answer, 0, sizeof *answer);
    int found = name ? find(name, &answer->four, &answer->six) : 0;
    if (found != (family == AF_INET6 ? 6 : 4)) {
        h_errno = HOST_NOT_FOUND;
        return 0;
    }
    snprintf(answer->name, sizeof answer->name, "%s", name);
    out->h_name = answer->name, out->h_aliases = answer->aliases, out->h_addr_list = answer->addresses;
    out->h_addrtype = family, out->h_length = family == AF_INET6 ? 16 : 4;
    answer->addresses[0] = family == AF_INET6 ? (char *)&answer->six : (char *)&answer->four;
    return 1;
}

OURS(struct hostent *, gethostbyname2, (const char *name, int family)) {
    static struct hostent host;
    static struct answer answer;
    return fill(&host, &answer, name, family) ? &host : NULL;
}

OURS(struct hostent *, gethostbyname, (const char *name)) {
    return our_gethostbyname2(name, AF_INET);
}

OURS(int, gethostbyname2_r, (const char *name, int family, struct hostent *host, char *bytes, size_t size, struct hostent **out, int *error)) {
    size_t skip = (size_t)(-(intptr_t)bytes & 15);
    *out = NULL;
    if (size < skip + sizeof(struct answer)) {
        return ERANGE;
    }
    if (fill(host, (void *)(bytes + skip), name, family)) {
        *out = host;
    } else {
        *error = HOST_NOT_FOUND;
    }
    return 0;
}

OURS(int, gethostbyname_r, (const char *name, struct hostent *host, char *bytes, size_t size, struct hostent **out, int *error)) {
    return our_gethostbyname2_r(name, AF_INET, host, bytes, size, out, error);
}

OURS(struct hostent *, gethostbyaddr, (const void *address, socklen_t size, int family)) {
    (void)address, (void)size, (void)family;
    h_errno = HOST_NOT_FOUND;
    return NULL;
}
