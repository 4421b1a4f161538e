/* Fails one call of this process on a regular file below a folder: the n-th open, read, write, fsync or rename.
 *
 * cc -shared -fPIC -O1 -o shim.so shim.c -ldl; LD_PRELOAD=./shim.so python ... fault_arm(folder, kind, n, error, all)
 * Calls through libc are seen, whatever made them: Python, Rust (polars), C++ (arrow). Mapped files are not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN, READ, WRITE, FSYNC, RENAME, KINDS };
enum { PASS, FAIL, SHORT };

static char folder[PATH_MAX];
static size_t folder_length;
static int failing_kind = -1, failing_error, failing_all;
static long failing_number;
static atomic_long counts[KINDS], failed;

/* Count calls below a folder; let the n-th of a kind (0: none) fail with an error (0: do half), `all`: those after, too. */
void fault_arm(const char *below, int kind, long number, int error, int all) {
    for (int one = 0; one < KINDS; one++) counts[one] = 0;
    failed = 0;
    failing_kind = kind, failing_number = number, failing_error = error, failing_all = all;
    strncpy(folder, below, PATH_MAX - 1);
    folder_length = strlen(folder);
}

/* Return how many calls of a kind were counted; for one past the kinds, how many failed. */
long fault_count(int kind) { return kind < KINDS ? counts[kind] : failed; }

static int decide(int kind) {
    long number = ++counts[kind];
    if (kind != failing_kind || !failing_number) return PASS;
    if (number != failing_number && !(failing_all && number > failing_number)) return PASS;
    failed++;
    if (!failing_error) return SHORT;
    errno = failing_error;
    return FAIL;
}

static int below(const char *path) { return folder_length && !strncmp(path, folder, folder_length); }

static int known_file(int handle) {
    char link[64], path[PATH_MAX];
    struct stat found;
    int before = errno, yes = 0;
    if (folder_length) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0) {
            path[length] = 0;
            yes = below(path) && !fstat(handle, &found) && S_ISREG(found.st_mode);
        }
    }
    errno = before;
    return yes;
}

static int known_path(int at, const char *path) {
    char whole[PATH_MAX], link[64];
    struct stat found;
    int before = errno, yes = 0;
    ssize_t length = 0;
    if (folder_length && path) {
        if (path[0] != '/') {
            if (at == AT_FDCWD) length = getcwd(whole, sizeof whole) ? (ssize_t)strlen(whole) : -1;
            else snprintf(link, sizeof link, "/proc/self/fd/%d", at), length = readlink(link, whole, sizeof whole - 1);
            if (length >= 0) whole[length++] = '/';
        }
        if (length >= 0 && length + strlen(path) < sizeof whole) {
            strcpy(whole + length, path);
            yes = below(whole) && (stat(whole, &found) || S_ISREG(found.st_mode));
        }
    }
    errno = before;
    return yes;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); MODE(flags) \
        if (!(flags & O_DIRECTORY) && known_path(AT_FDCWD, path) && decide(OPEN) == FAIL) return -1; \
        return real(path, flags, mode); }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(name); MODE(flags) \
        if (!(flags & O_DIRECTORY) && known_path(at, path) && decide(OPEN) == FAIL) return -1; \
        return real(at, path, flags, mode); }
OPENS_AT(openat)
OPENS_AT(openat64)

#define HALF(count) do { switch (known_file(handle) ? decide(kind) : PASS) { \
    case FAIL: return -1; case SHORT: if (count > 1) count /= 2; } } while (0)

ssize_t read(int handle, void *data, size_t count) { REAL(read); int kind = READ; HALF(count); return real(handle, data, count); }
ssize_t write(int handle, const void *data, size_t count) { REAL(write); int kind = WRITE; HALF(count); return real(handle, data, count); }
ssize_t pread(int handle, void *data, size_t count, off_t at) { REAL(pread); int kind = READ; HALF(count); return real(handle, data, count, at); }
ssize_t pread64(int handle, void *data, size_t count, off64_t at) { REAL(pread64); int kind = READ; HALF(count); return real(handle, data, count, at); }
ssize_t pwrite(int handle, const void *data, size_t count, off_t at) { REAL(pwrite); int kind = WRITE; HALF(count); return real(handle, data, count, at); }
ssize_t pwrite64(int handle, const void *data, size_t count, off64_t at) { REAL(pwrite64); int kind = WRITE; HALF(count); return real(handle, data, count, at); }
ssize_t readv(int handle, const struct iovec *parts, int count) { REAL(readv); int kind = READ; HALF(count); return real(handle, parts, count); }
ssize_t writev(int handle, const struct iovec *parts, int count) { REAL(writev); int kind = WRITE; HALF(count); return real(handle, parts, count); }

ssize_t sendfile(int handle, int from, off_t *at, size_t count) { REAL(sendfile); int kind = WRITE; HALF(count); return real(handle, from, at, count); }
ssize_t sendfile64(int handle, int from, off64_t *at, size_t count) { REAL(sendfile64); int kind = WRITE; HALF(count); return real(handle, from, at, count); }
ssize_t copy_file_range(int from, off64_t *there, int handle, off64_t *here, size_t count, unsigned flags) {
    REAL(copy_file_range); int kind = WRITE; HALF(count); return real(from, there, handle, here, count, flags); }

int fsync(int handle) { REAL(fsync); return known_file(handle) && decide(FSYNC) == FAIL ? -1 : real(handle); }
int fdatasync(int handle) { REAL(fdatasync); return known_file(handle) && decide(FSYNC) == FAIL ? -1 : real(handle); }

int rename(const char *from, const char *to) {
    REAL(rename); return known_path(AT_FDCWD, from) && decide(RENAME) == FAIL ? -1 : real(from, to); }
int renameat(int at, const char *from, int to_at, const char *to) {
    REAL(renameat); return known_path(at, from) && decide(RENAME) == FAIL ? -1 : real(at, from, to_at, to); }
