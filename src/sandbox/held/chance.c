/* SPDX-License-Identifier: Apache-2.0 */
/* chance.c: what the kernel asks about the file of chance, and what it is told.
 *
 * Nothing is kept of who has it open: the number of a stream is the handle of the open file, and
 * the kernel says with every read whose it is and where it begins.
 */
#include "sandbox/held_chance.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sandbox/held/tracee.h"
#include "sandbox/kernel.h"

static const char device[] = "/dev/fuse";

enum {
    CHUNK = 16 << 10, /* of a read; the kernel makes several of what is longer, .. */
    WRITTEN = 4096,   /* .. and of a write */
    ASKED_MOST = FUSE_MIN_READ_BUFFER,
    NUMBER = 24,
    ID_BITS = 32,
};

#define CHUNK_TEXT  "16384"
#define ROOT_MODE   "100666" /* a plain file that everybody may read and write */
#define STREAMS     (UINT64_C(1) << 63)
#define FILE_STREAM UINT64_MAX
#define FOR_EVER    (UINT64_C(1) << 40)

int held_chance_open(void)
{
    return open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

bool held_chance_is_shared(void)
{
    return access(device, R_OK | W_OK) != 0;
}

/* ---- the file ---- */

static const char *digits(uint64_t n, char room[NUMBER])
{
    char *at = room + NUMBER - 1;

    *at = '\0';
    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return at;
}

int held_chance_mount(int channel)
{
    char room[3][NUMBER];
    const struct {
        const char *key, *value;
    } options[] = {
        { "fd", digits((uint64_t)channel, room[0]) },
        { "rootmode", ROOT_MODE },
        { "user_id", digits(getuid(), room[1]) },
        { "group_id", digits(getgid(), room[2]) },
        { "max_read", CHUNK_TEXT },
    };
    int fs = kernel_fsopen("fuse"), tree = -1;
    bool taken = fs >= 0 && kernel_fsconfig(fs, FSCONFIG_SET_FLAG, "allow_other", NULL) == 0;

    for (size_t i = 0; taken && i < COUNT(options); i++)
        taken = kernel_fsconfig(fs, FSCONFIG_SET_STRING, options[i].key, options[i].value) == 0;
    if (taken && kernel_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) == 0)
        tree = kernel_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (fs >= 0)
        (void)close(fs);
    return tree;
}

int held_chance_fill(const struct held *held, int fd)
{
    unsigned char parts[128 * HELD_PART];
    uint64_t drawn = 0;

    for (size_t done = 0; done < HELD_CHANCE_BYTES; done += sizeof parts) {
        for (size_t i = 0; i < sizeof parts; i += HELD_PART)
            held_draw(held, FILE_STREAM, &drawn, parts + i);
        if (write(fd, parts, sizeof parts) != (ssize_t)sizeof parts)
            return -1;
    }
    return ftruncate(fd, (off_t)FOR_EVER);
}

/* ---- questions ---- */

struct question {
    const struct held_ground *g;
    struct fuse_in_header head;
    const unsigned char *body;
    size_t n;
    unsigned char *answer; /* CHUNK and HELD_PART of room; moved to where the answer begins */
};

/* Each returns how long the answer is, or -errno. */

static int tell(const struct question *q, const void *answer, size_t n)
{
    memcpy(q->answer, answer, n);
    return (int)n;
}

static int begun(struct question *q)
{
    struct fuse_init_in in = { 0 };
    struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION,
                                 .minor = FUSE_KERNEL_MINOR_VERSION,
                                 .max_write = WRITTEN,
                                 .time_gran = 1 };

    memcpy(&in, q->body, q->n < sizeof in ? q->n : sizeof in);
    if (in.minor < out.minor)
        out.minor = in.minor;
    return tell(q, &out, sizeof out);
}

static int described(struct question *q)
{
    uint64_t wall_s = (uint64_t)q->g->held->wall_s;
    struct fuse_attr_out out = {
        .attr_valid = UINT32_MAX,
        .attr = { .ino = FUSE_ROOT_ID,
                  .atime = wall_s,
                  .mtime = wall_s,
                  .ctime = wall_s,
                  .mode = S_IFREG | 0666,
                  .nlink = 1,
                  .uid = getuid(),
                  .gid = getgid() },
    };

    return tell(q, &out, sizeof out);
}

static int measured(struct question *q)
{
    struct fuse_statfs_out out = { .st = { .bsize = 4096, .namelen = 255, .frsize = 4096 } };

    return tell(q, &out, sizeof out);
}

/* Who has it opened waits for the answer: its count is there to be changed. */
static int opened(struct question *q)
{
    pid_t pid = (pid_t)q->head.pid;
    uint64_t at;
    struct held_state state = held_load(q->g, pid, &at);
    struct fuse_open_out out = { .fh = STREAMS | (uint64_t)q->head.pid << ID_BITS |
                                       (uint32_t)state.opens,
                                 .open_flags = FOPEN_DIRECT_IO };

    state.opens++;
    if (at != 0)
        (void)!tracee_write(pid, at + offsetof(struct held_state, opens), &state.opens,
                            sizeof state.opens);
    return tell(q, &out, sizeof out);
}

static int drawn_from(struct question *q)
{
    struct fuse_read_in in;
    uint64_t drawn;
    size_t skipped;

    if (q->n < sizeof in)
        return -EINVAL;
    memcpy(&in, q->body, sizeof in);
    if (in.size > CHUNK)
        return -EINVAL;
    drawn = in.offset / HELD_PART;
    skipped = in.offset % HELD_PART;
    for (size_t i = 0; i < skipped + in.size; i += HELD_PART)
        held_draw(q->g->held, in.fh, &drawn, q->answer + i);
    q->answer += skipped;
    return (int)in.size;
}

static int written(struct question *q)
{
    struct fuse_write_in in;
    struct fuse_write_out out = { 0 };

    if (q->n < sizeof in)
        return -EINVAL;
    memcpy(&in, q->body, sizeof in);
    out.size = in.size;
    return tell(q, &out, sizeof out);
}

static int closed(struct question *q)
{
    (void)q;
    return 0;
}

/* clang-format off */
static const struct {
    uint32_t what;
    int (*does)(struct question *q); /* NULL: no answer is wanted */
} rows[] = {
    { FUSE_INIT,         begun },
    { FUSE_GETATTR,      described },
    { FUSE_SETATTR,      described },
    { FUSE_STATFS,       measured },
    { FUSE_OPEN,         opened },
    { FUSE_READ,         drawn_from },
    { FUSE_WRITE,        written },
    { FUSE_RELEASE,      closed },
    { FUSE_FORGET,       NULL },
    { FUSE_BATCH_FORGET, NULL },
    { FUSE_INTERRUPT,    NULL },
};
/* clang-format on */

/* Of what is not in the table the kernel makes what it does where a file system has no such thing.
 */
static int answer(struct question *q, bool *wanted)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].what == q->head.opcode) {
            *wanted = rows[i].does != NULL;
            return *wanted ? rows[i].does(q) : 0;
        }
    return -ENOSYS;
}

void held_chance_serve(const struct held_ground *g, int channel)
{
    static unsigned char asked[ASKED_MOST], room[CHUNK + 2 * HELD_PART];
    struct question q = { .g = g, .body = asked + sizeof q.head, .answer = room };
    struct fuse_out_header head = { 0 };
    ssize_t n = read(channel, asked, sizeof asked);
    bool wanted = true;
    int done;

    if (n < (ssize_t)sizeof q.head)
        return;
    memcpy(&q.head, asked, sizeof q.head);
    q.n = (size_t)n - sizeof q.head;
    done = answer(&q, &wanted);
    if (!wanted)
        return;
    head.unique = q.head.unique;
    head.error = done < 0 ? done : 0;
    head.len = (uint32_t)(sizeof head + (done < 0 ? 0 : (size_t)done));
    struct iovec parts[] = { { &head, sizeof head }, { q.answer, head.len - sizeof head } };

    (void)!writev(channel, parts, COUNT(parts)); /* who has asked may be gone */
}
