/* Loaded before the C library (LD_PRELOAD), it makes calls fail as a bad day would. FAULT says how:
 *   short      reads and writes do a part of what was asked, and are interrupted now and then
 *   malloc:N   the N-th allocation fails
 *   threads:N  from the N-th on, no thread can be started
 *   write:N, fsync:N, rename:N, link:N   the N-th such call fails, as on a full or broken disk
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char kind[16];
static long number, counted;
static unsigned chance = 12345;

__attribute__((constructor)) static void begin(void) {
  const char* fault = getenv("FAULT");
  if (!fault) return;
  const char* colon = strchr(fault, ':');
  size_t length = colon ? (size_t)(colon - fault) : strlen(fault);
  if (length >= sizeof kind) return;
  if (colon) number = atol(colon + 1);
  counted = 0;
  memcpy(kind, fault, length); /* last: from now on calls are counted */
}

static int is(const char* name) { return kind[0] && strcmp(kind, name) == 0; }
static int fails(const char* name) {
  return is(name) && __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) == number;
}
static unsigned draw(void) { return (chance = chance * 1664525u + 1013904223u) >> 16; }

/* The function that the program would have called. */
#define REAL(result, name, ...)             \
  static result (*real)(__VA_ARGS__) = NULL; \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* The part of `count` to do; 0: be interrupted instead. */
static size_t part(size_t count) {
  if (!is("short") || count == 0) return count;
  if (draw() % 4 == 0) return 0;
  return 1 + draw() % (count < 4096 ? count : 4096);
}

ssize_t read(int file, void* to, size_t count) {
  REAL(ssize_t, "read", int, void*, size_t);
  size_t some = part(count);
  if (count && !some) return errno = EINTR, -1;
  return real(file, to, some);
}
ssize_t write(int file, const void* from, size_t count) {
  REAL(ssize_t, "write", int, const void*, size_t);
  struct stat status;
  if (is("write") && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && fails("write"))
    return errno = ENOSPC, -1;
  size_t some = part(count);
  if (count && !some) return errno = EINTR, -1;
  return real(file, from, some);
}
int fsync(int file) {
  REAL(int, "fsync", int);
  if (fails("fsync")) return errno = EIO, -1;
  return real(file);
}
int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  if (fails("rename")) return errno = EIO, -1;
  return real(from, to);
}
int linkat(int a, const char* from, int b, const char* to, int flags) {
  REAL(int, "linkat", int, const char*, int, const char*, int);
  if (fails("link")) return errno = EPERM, -1;
  return real(a, from, b, to, flags);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) {
  REAL(int, "pthread_create", pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (is("threads") && __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) >= number) return EAGAIN;
  return real(thread, how, work, with);
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
static int no_memory(void) { return fails("malloc") ? (errno = ENOMEM, 1) : 0; }

void* malloc(size_t size) { return no_memory() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return no_memory() ? NULL : __libc_calloc(count, size); }
void* realloc(void* memory, size_t size) { return no_memory() ? NULL : __libc_realloc(memory, size); }
void* memalign(size_t to, size_t size) { return no_memory() ? NULL : __libc_memalign(to, size); }
void* aligned_alloc(size_t to, size_t size) { return memalign(to, size); }
int posix_memalign(void** memory, size_t to, size_t size) {
  void* got = memalign(to, size);
  if (!got) return ENOMEM;
  *memory = got;
  return 0;
}
