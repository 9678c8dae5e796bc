/* The floor: a C server on the same kind of socket that answers each frame at once, with nothing behind it.
 *
 *   echo SOCKET DIRECTORY
 *
 * A frame is a 4-byte big-endian length and a map whose first key is "id" (docs/protocol.md). The answer is the bytes
 * of DIRECTORY/head, the id as it came, and those of DIRECTORY/tail; the first frame of a connection, its hello, gets
 * DIRECTORY/hello in place of tail. The length goes before it all.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROOM = 1 << 17, EVENTS = 128, BEFORE_ID = 4 /* map header, "id" */ };

struct text { char bytes[ROOM]; size_t size; };
struct connection { int fd; int greeted; size_t filled; unsigned char in[ROOM]; };

static struct text head, tail, hello;

static void load(struct text *into, const char *directory, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    into->size = fread(into->bytes, 1, ROOM, file);
    fclose(file);
}

/* Bytes of the msgpack unsigned integer that begins at `at`. */
static size_t integer(const unsigned char *at) {
    switch (*at) {
    case 0xcc: return 2;
    case 0xcd: return 3;
    case 0xce: return 5;
    case 0xcf: return 9;
    default: return 1;
    }
}

/* Write the answer to one body into `out`; returns its size. */
static size_t answer(struct connection *c, const unsigned char *body, char *out) {
    const struct text *rest = c->greeted++ ? &tail : &hello;
    size_t id = integer(body + BEFORE_ID);
    uint32_t size = htonl(head.size + id + rest->size);
    char *p = mempcpy(out, &size, 4);
    p = mempcpy(p, head.bytes, head.size);
    p = mempcpy(p, body + BEFORE_ID, id);
    p = mempcpy(p, rest->bytes, rest->size);
    return p - out;
}

static void serve(struct connection *c) {
    static char out[ROOM * 8];
    ssize_t got = read(c->fd, c->in + c->filled, ROOM - c->filled);
    if (got <= 0) { close(c->fd); free(c); return; }
    c->filled += got;
    size_t at = 0, ready = 0;
    while (c->filled - at >= 4) {
        uint32_t size;
        memcpy(&size, c->in + at, 4);
        size = ntohl(size);
        if (c->filled - at - 4 < size) break;
        ready += answer(c, c->in + at + 4, out + ready);
        at += 4 + size;
    }
    memmove(c->in, c->in + at, c->filled -= at);
    if (ready && write(c->fd, out, ready) < 0) perror("write");
}

int main(int count, char **arguments) {
    if (count != 3) { fputs("usage: echo SOCKET DIRECTORY\n", stderr); return 2; }
    load(&head, arguments[2], "head");
    load(&tail, arguments[2], "tail");
    load(&hello, arguments[2], "hello");
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 128)) { perror("bind"); return 1; }
    struct epoll_event event = {.events = EPOLLIN}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (c) { serve(c); continue; }
            c = calloc(1, sizeof *c);
            c->fd = accept(listener, 0, 0);
            event.data.ptr = c;
            epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event);
        }
    }
}
