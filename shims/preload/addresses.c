/* Which host has which address. Host N is 10.66.N.1: none shares a network of 24 bits with another, so that limits for each address
 * or network work as on the Internet; where the scenario says so, all clients share host 1's.
 *
 * A client's port number is any number of the harness's; it gets a UDP port in the order in which they come. The server's are what
 * they say, but for number 0, which is the port that everybody knows. */
#include "preload.h"

#include <arpa/inet.h>

enum { MOST_PORTS = 8192, FIRST_PORT = 30000 };
static const uint32_t BLOCK = 0x0a420001u; /* 10.66.0.1 */

static struct {
    int host;
    int64_t port;
} ports[MOST_PORTS];
static int n_ports;
int same_address;

static uint32_t ip_of(int host) {
    if (same_address && host > 1) {
        host = 1;
    }
    return BLOCK + ((uint32_t)host << 8);
}

uint32_t own_ip(void) {
    return ip_of(own_host);
}

static int place_of(int host, int64_t port) {
    static int last;
    if (last < n_ports && ports[last].host == host && ports[last].port == port) {
        return last;
    }
    for (last = 0; last < n_ports; last++) {
        if (ports[last].host == host && ports[last].port == port) {
            return last;
        }
    }
    if (n_ports == MOST_PORTS) {
        say(0, "more than %d ports in one run", MOST_PORTS);
        return last = MOST_PORTS - 1;
    }
    ports[n_ports].host = host, ports[n_ports].port = port;
    return last = n_ports++;
}

void address_of(int host, int64_t port, struct sockaddr_in *out) {
    int udp = host ? FIRST_PORT + place_of(host, port) : port ? (int)port : SERVER_PORT;
    memset(out, 0, sizeof *out);
    out->sin_family = AF_INET, out->sin_port = htons((uint16_t)udp), out->sin_addr.s_addr = htonl(ip_of(host));
}

/* 1, and the address as one of IPv4; 0: it is none. */
int as_v4(const struct sockaddr *from, struct sockaddr_in *out) {
    const struct sockaddr_in6 *six = (const void *)from;
    memset(out, 0, sizeof *out);
    out->sin_family = AF_INET;
    if (from->sa_family == AF_INET) {
        memcpy(out, from, sizeof *out);
        return 1;
    }
    if (from->sa_family != AF_INET6) {
        return 0;
    }
    out->sin_port = six->sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        memcpy(&out->sin_addr, six->sin6_addr.s6_addr + 12, 4);
        return 1;
    }
    if (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)) {
        out->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return 1;
    }
    return IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

/* The address as a socket of `family` shows it. */
socklen_t as_family(int family, const struct sockaddr_in *from, struct sockaddr_storage *out) {
    memset(out, 0, sizeof *out);
    if (family == AF_INET) {
        memcpy(out, from, sizeof *from);
        return sizeof *from;
    }
    struct sockaddr_in6 *six = (void *)out;
    six->sin6_family = AF_INET6, six->sin6_port = from->sin_port;
    six->sin6_addr.s6_addr[10] = six->sin6_addr.s6_addr[11] = 0xff;
    memcpy(six->sin6_addr.s6_addr + 12, &from->sin_addr, 4);
    return sizeof *six;
}

uint16_t port_of(const struct sockaddr *address) {
    return ntohs(address->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)(const void *)address)->sin6_port
                                                : ((const struct sockaddr_in *)(const void *)address)->sin_port);
}

int is_own_address(const struct sockaddr *address) {
    struct sockaddr_in four;
    if (!as_v4(address, &four)) {
        return 0;
    }
    uint32_t ip = ntohl(four.sin_addr.s_addr);
    return ip >> 24 == 127 || ip == own_ip() || ip == INADDR_ANY;
}

/* 0: nobody has this address. */
int host_of(const struct sockaddr *to, int *host, int64_t *port) {
    struct sockaddr_in four;
    if (!as_v4(to, &four)) {
        return 0;
    }
    uint32_t ip = ntohl(four.sin_addr.s_addr);
    int udp = ntohs(four.sin_port);
    if (ip == BLOCK) {
        *host = 0, *port = udp == SERVER_PORT ? 0 : udp;
        return own_host != 0;
    }
    int place = udp - FIRST_PORT;
    if (place < 0 || place >= n_ports || ip_of(ports[place].host) != ip) {
        return 0;
    }
    *host = ports[place].host, *port = ports[place].port;
    return 1;
}
