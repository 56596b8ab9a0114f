/* ========================================================================================== >>files
   Replaces a file as a whole. Whatever fails:
     1. The file is absent, old or new, and whole: a closed, synced file is renamed to it.
     2. The temporary file is NAME.<16 hexadecimal digits>.tmp. O_EXCL creates it, so it follows no planted link; child
        programs do not inherit it; a failed write removes it.
     3. The next writer of NAME removes what killed processes left. Living writers hold a lock (flock); without locks
        nothing is removed.
     4. A replaced file keeps its mode, not owner and access lists. In between, 0600 is never wider.
     5. Only regular files are read or replaced: others could hang. A symbolic link is not written: the rename would
        miss its target, and following it could overwrite any file.
   A write beyond ulimit -f raises SIGXFSZ. Without POSIX there is no lock, sync, mode or check of kinds. */
#pragma once
#include "memory.h"
#include "doubles.h"

/* For tests: returns an errno to fail with, or 0; may lower *bytes. */
#if !defined(PERMI_FILE_FAULT)
#define PERMI_FILE_FAULT(operation, bytes) 0
#endif
#define PERMI_STALE_BYTES 21 /* ".0123456789abcdef.tmp" */

typedef struct permi_replacement {
  const char *path, *failed;
  char *name;
  FILE *stream;
  int descriptor, kept; /* kept: the old file's mode, or -1 */
} permi_replacement;

#if PERMI_POSIX
#define PERMI_AGAIN(call)  \
  do                       \
    errno = 0;             \
  while ((call) < 0 && errno == EINTR)
#define PERMI_TRY(operation, call)              \
  do {                                          \
    errno = PERMI_FILE_FAULT(operation, NULL);  \
    if (!errno)                                 \
      PERMI_AGAIN(call);                        \
  } while (0)

#if defined(O_CLOEXEC)
#define PERMI_CLOEXEC O_CLOEXEC
#else
#define PERMI_CLOEXEC __O_CLOEXEC /* with -std=c99 */
#endif

static const char *permi_file_refusal(mode_t mode)
{
  return S_ISREG(mode)                       ? NULL
         : S_ISDIR(mode)                     ? "it is a directory, not a file"
         : S_ISFIFO(mode)                    ? "it is a FIFO, not a regular file"
         : S_ISCHR(mode) || S_ISBLK(mode)    ? "it is a device, not a regular file"
                                             : "it is a socket or the like, not a regular file";
}

/* Returns the length through the last slash. */
static size_t permi_file_directory(const char *path)
{
  size_t length = strlen(path);
  while (length && path[length - 1] != '/')
    length--;
  return length;
}

/* Removes what killed writers of `path` left; `name` is a buffer. */
static void permi_file_clean(const char *path, char *name)
{
  const size_t base = permi_file_directory(path), length = strlen(path) - base;
  const struct dirent *entry;
  memcpy(name, path, base);
  name[base] = 0;
  DIR *directory = opendir(base ? name : ".");
  while (directory && (entry = readdir(directory)) != NULL) {
    const char *stale = entry->d_name;
    int descriptor;
    if (strncmp(stale, path + base, length) || strlen(stale) != length + PERMI_STALE_BYTES || stale[length] != '.' ||
        strspn(stale + length + 1, "0123456789abcdef") != 16 || strcmp(stale + length + 17, ".tmp"))
      continue;
    memcpy(name + base, stale, length + PERMI_STALE_BYTES + 1);
    PERMI_AGAIN(descriptor = open(name, O_RDWR | O_NONBLOCK | PERMI_CLOEXEC));
    if (descriptor < 0)
      continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) /* of a link, the link goes */
      remove(name);
    close(descriptor);
  }
  if (directory)
    closedir(directory);
}

/* Also locks the temporary file; returns 0 or an errno. */
static int permi_file_create_new(permi_replacement *file)
{
  struct stat information;
  int code = EEXIST;
  PERMI_AGAIN(file->descriptor = open(file->name, O_WRONLY | O_CREAT | O_EXCL | PERMI_CLOEXEC,
                                      file->kept < 0 ? 0666 : 0600));
  if (file->descriptor < 0)
    return errno;
  /* unless a clean-up removed it */
  if ((flock(file->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
      (fstat(file->descriptor, &information) < 0 || information.st_nlink > 0)) {
    file->stream = fdopen(file->descriptor, "wb");
    if (file->stream)
      return 0;
    code = errno ? errno : EIO;
    remove(file->name);
  }
  close(file->descriptor);
  return code;
}

static int permi_directory_sync(const char *path)
{
  int descriptor = -1, code;
  PERMI_TRY("open directory", descriptor = open(path, O_RDONLY | PERMI_CLOEXEC));
  if (descriptor < 0)
    return errno == EACCES ? 0 : errno;
  PERMI_TRY("sync directory", fsync(descriptor));
  code = errno == EINVAL ? 0 : errno;
  close(descriptor);
  return code;
}

#else
static int permi_file_create_new(permi_replacement *file)
{
  file->stream = fopen(file->name, "wbx");
  return file->stream ? 0 : errno ? errno : EIO;
}
#endif

/* Returns NULL and *why if opening fails; sets *missing if the file is absent. */
static FILE *permi_file_open(const char *path, const char **why, int *missing)
{
  FILE *file = NULL;
#if PERMI_POSIX
  struct stat information;
  int descriptor = -1;
  PERMI_TRY("open", descriptor = open(path, O_RDONLY | O_NONBLOCK | PERMI_CLOEXEC)); /* a FIFO would wait */
  *missing = descriptor < 0 && errno == ENOENT;
  if (descriptor < 0 || fstat(descriptor, &information) < 0)
    *why = strerror(errno);
  else if ((*why = permi_file_refusal(information.st_mode)) == NULL && !(file = fdopen(descriptor, "rb")))
    *why = strerror(errno);
  if (!file && descriptor >= 0)
    close(descriptor);
#else
  errno = PERMI_FILE_FAULT("open", NULL);
  if (!errno)
    file = fopen(path, "rb");
  *missing = !file && errno == ENOENT;
  *why = file ? NULL : strerror(errno);
#endif
  return file;
}

static int permi_file_create(permi_replacement *file)
{
  uint64_t number = permi_hash(permi_hash_double(PERMI_PROCESS, permi_seconds()), (uint64_t)time(NULL));
  int attempt, code = EEXIST;
  number = permi_hash(number, (uint64_t)(uintptr_t)&number);
  for (attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
    snprintf(file->name, strlen(file->path) + PERMI_STALE_BYTES + 1, "%s.%016llx.tmp", file->path,
             (unsigned long long)(number = permi_hash(number, 1)));
    errno = PERMI_FILE_FAULT("create", NULL);
    code = errno ? errno : permi_file_create_new(file);
  }
  return code;
}

#if defined(_WIN32) /* whose rename replaces nothing */
PERMI_WINDOWS(int) MoveFileExA(const char *from, const char *to, unsigned long flags);
#define PERMI_RENAME(from, to) (MoveFileExA(from, to, 1 | 8) ? 0 : -1) /* replace; write through */
#else
#define PERMI_RENAME(from, to) rename(from, to)
#endif

/* Renames the file if code is 0, else removes it; returns 0 or an errno. `guard` holds the lock. */
static int permi_file_finish(permi_replacement *file, int code)
{
  int fault;
#if PERMI_POSIX
  const int guard = code ? -1 : dup(file->descriptor);
  const size_t length = permi_file_directory(file->path);
  if (!code && file->kept >= 0)
    (void)!fchmod(file->descriptor, (mode_t)file->kept); /* else it stays 0600 */
  if (!code) {
    PERMI_TRY("sync", fsync(file->descriptor));
    code = errno == EINVAL ? 0 : errno;
  }
#endif
  fault = PERMI_FILE_FAULT("close", NULL); /* network file systems report a full disk here */
  if (fclose(file->stream) != 0 && !fault)
    fault = errno == EINTR ? 0 : errno ? errno : EIO;
  code = code ? code : fault;
  if (!code) {
    file->failed = "rename";
    errno = PERMI_FILE_FAULT("rename", NULL);
    code = errno || PERMI_RENAME(file->name, file->path) != 0 ? errno ? errno : EIO : 0;
  }
  if (code && !PERMI_FILE_FAULT("remove", NULL))
    remove(file->name);
#if PERMI_POSIX
  if (guard >= 0)
    close(guard);
  if (!code) {
    file->failed = "sync the directory of";
    file->name[length] = 0;
    code = permi_directory_sync(length ? file->name : ".");
  }
#endif
  return code;
}

/* `print` writes *what (or returns 0 and sets errno); only tries if what is NULL. `clean` removes leftovers. Returns
   NULL, or why *failed (NULL: memory) failed. */
static const char *permi_file_replace(const char *path, const perm_allocator *allocator, int clean,
                                      int (*print)(FILE *stream, const void *what), const void *what,
                                      const char **failed)
{
  permi_replacement file;
  const char *why = NULL;
  int code = 0;
#if PERMI_POSIX
  struct stat information;
  char target;
#endif
  memset(&file, 0, sizeof file);
  file.path = path;
#if PERMI_POSIX
  file.kept = -1;
  if (readlink(path, &target, 1) >= 0) {
    why = "it is a symbolic link; name the file that it points to";
  } else if (stat(path, &information) == 0) { /* else creating the file will say why */
    file.kept = (int)(information.st_mode & 0777);
    why = permi_file_refusal(information.st_mode);
  }
#endif
  *failed = why ? "write" : NULL;
  if (!why && !(file.name = (char *)permi_allocate(allocator, strlen(path) + PERMI_STALE_BYTES + 1, 1)))
    return "out of memory";
  if (!why && (code = permi_file_create(&file)) != 0) {
    *failed = "create";
    why = strerror(code);
  }
  if (!why) {
    file.failed = "write";
    errno = 0;
    code = what && print(file.stream, what) && fflush(file.stream) == 0 ? 0 : errno ? errno : EIO;
    code = permi_file_finish(&file, code);
#if PERMI_POSIX
    if (clean)
      permi_file_clean(path, file.name);
#else
    (void)clean;
#endif
    *failed = file.failed;
    why = code && what ? strerror(code) : NULL;
  }
  permi_release(allocator, file.name);
  return why;
}
/* SPDX-License-Identifier: MIT */
