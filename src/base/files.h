/* ========================================================================================== >>files
   Writing files. Whatever fails:
     1. A file of that name is absent, or whole and old, or whole and new: a complete, closed and synced file replaces
        it by renaming.
     2. The temporary file is NAME.<16 random hexadecimal digits>.tmp beside it, created with O_EXCL (which follows no
        planted link), not inherited by child programs, and removed when writing fails.
     3. The next writer of NAME removes what killed processes left. Living writers hold a lock (flock); on file systems
        without locks nothing is removed.
     4. A replaced file keeps its mode, not its owner and access lists; 0600 is never wider in between.
     5. Only regular files are replaced or read: others could hang. Symbolic links are read through but not written:
        the rename would miss the target, following the link could overwrite any file.
   A write beyond ulimit -f raises SIGXFSZ, which ends the process unless the program ignores it. Without POSIX there is
   no lock, sync, mode or check of the kind, and the old file is removed before the rename. */
#pragma once
#include "memory.h"
#include "doubles.h"

/* Tests make operations fail: (operation, bytes) returns the errno or 0, and may lower *bytes. */
#if !defined(PERMI_FILE_FAULT)
#define PERMI_FILE_FAULT(operation, bytes) 0
#endif
#define PERMI_STALE_BYTES 21 /* ".0123456789abcdef.tmp" */

typedef struct permi_replacement {
  const perm_allocator *allocator;
  const char *path, *failed;
  char *name;
  FILE *stream;
#if PERMI_POSIX
  int descriptor, kept; /* kept: the old file's mode, or -1 */
#endif
} permi_replacement;

#if PERMI_POSIX
#define PERMI_AGAIN(call)  \
  do                       \
    errno = 0;             \
  while ((call) < 0 && errno == EINTR)

/* -std=c99 hides some names. O_EXCL implies O_NOFOLLOW for new files. */
#if defined(O_NOFOLLOW)
#define PERMI_NOFOLLOW O_NOFOLLOW
#elif defined(__O_NOFOLLOW)
#define PERMI_NOFOLLOW __O_NOFOLLOW
#else
#define PERMI_NOFOLLOW 0
#endif
#if defined(O_CLOEXEC)
#define PERMI_CLOEXEC O_CLOEXEC
#elif defined(__O_CLOEXEC)
#define PERMI_CLOEXEC __O_CLOEXEC
#else
#define PERMI_CLOEXEC 0
#endif

/* Returns why a file of this kind is neither read nor replaced, or NULL. */
static const char *permi_file_refusal(mode_t mode)
{
  return S_ISREG(mode)                       ? NULL
         : S_ISDIR(mode)                     ? "it is a directory, not a file"
         : S_ISFIFO(mode)                    ? "it is a FIFO, not a regular file"
         : S_ISCHR(mode) || S_ISBLK(mode)    ? "it is a device, not a regular file"
                                             : "it is a socket or the like, not a regular file";
}

/* NULL: *why is the reason, *missing whether the file is absent. */
static FILE *permi_file_open(const char *path, const char **why, int *missing)
{
  struct stat information;
  FILE *file = NULL;
  int descriptor = -1;
  errno = PERMI_FILE_FAULT("open", NULL);
  if (!errno)
    PERMI_AGAIN(descriptor = open(path, O_RDONLY | O_NONBLOCK | PERMI_CLOEXEC)); /* a FIFO would wait for a writer */
  *missing = descriptor < 0 && errno == ENOENT;
  if (descriptor < 0 || fstat(descriptor, &information) < 0)
    *why = strerror(errno);
  else if ((*why = permi_file_refusal(information.st_mode)) == NULL && !(file = fdopen(descriptor, "rb")))
    *why = strerror(errno);
  if (!file && descriptor >= 0)
    close(descriptor);
  return file;
}

/* Bytes of path through its last slash. */
static size_t permi_file_directory(const char *path)
{
  size_t length = strlen(path);
  while (length && path[length - 1] != '/')
    length--;
  return length;
}

static int permi_file_is_ours(const char *base, size_t length, const char *name)
{
  return !strncmp(name, base, length) && strlen(name) == length + PERMI_STALE_BYTES && name[length] == '.' &&
         strspn(name + length + 1, "0123456789abcdef") == 16 && !strcmp(name + length + 17, ".tmp");
}

/* Removes what killed processes left; `name` is a buffer. */
static void permi_file_clean(const char *path, char *name)
{
  const size_t base = permi_file_directory(path), length = strlen(path);
  const struct dirent *entry;
  DIR *directory;
  memcpy(name, path, base);
  name[base] = 0;
  directory = opendir(base ? name : ".");
  while (directory && (entry = readdir(directory)) != NULL)
    if (permi_file_is_ours(path + base, length - base, entry->d_name)) {
      int descriptor;
      memcpy(name + base, entry->d_name, length - base + PERMI_STALE_BYTES + 1);
      PERMI_AGAIN(descriptor = open(name, O_RDWR | O_NONBLOCK | PERMI_NOFOLLOW | PERMI_CLOEXEC));
      if (descriptor < 0)
        continue;
      if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        remove(name);
      close(descriptor);
    }
  if (directory)
    closedir(directory);
}

/* Creates and locks the temporary file; returns 0 or an errno. */
static int permi_file_create_new(permi_replacement *file)
{
  struct stat information;
  PERMI_AGAIN(file->descriptor = open(file->name, O_WRONLY | O_CREAT | O_EXCL | PERMI_NOFOLLOW | PERMI_CLOEXEC,
                                      file->kept < 0 ? 0666 : 0600));
  if (file->descriptor < 0)
    return errno;
#if PERMI_CLOEXEC == 0
  fcntl(file->descriptor, F_SETFD, FD_CLOEXEC);
#endif
  /* a clean-up may have removed it in between */
  if ((flock(file->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
      (fstat(file->descriptor, &information) < 0 || information.st_nlink > 0))
    return 0;
  close(file->descriptor);
  file->descriptor = -1;
  return EEXIST;
}

static int permi_directory_sync(const char *path)
{
  int descriptor = -1, code = 0;
  errno = PERMI_FILE_FAULT("open directory", NULL);
  if (!errno)
    PERMI_AGAIN(descriptor = open(path, O_RDONLY | PERMI_CLOEXEC));
  if (descriptor < 0)
    return errno == EACCES ? 0 : errno;
  errno = PERMI_FILE_FAULT("sync directory", NULL);
  if (!errno)
    PERMI_AGAIN(fsync(descriptor));
  code = errno == EINVAL ? 0 : errno;
  close(descriptor);
  return code;
}

static int permi_file_write(permi_replacement *file, const unsigned char *bytes, size_t size)
{
  size_t done = 0;
  int code;
  for (code = 0; !code && done < size;) {
    size_t ask = size - done < 1u << 30 ? size - done : 1u << 30;
    ptrdiff_t put = -1;
    errno = PERMI_FILE_FAULT("write", &ask);
    if (!errno)
      PERMI_AGAIN(put = write(file->descriptor, bytes + done, ask));
    code = put < 0 ? errno : put == 0 ? EIO : 0;
    done += put > 0 ? (size_t)put : 0;
  }
  return code;
}

/* Returns why path must not be replaced, or NULL; *kept: the old file's mode, or -1. */
static const char *permi_file_check(const char *path, int *kept)
{
  struct stat information;
  char target;
  *kept = -1;
  if (readlink(path, &target, 1) >= 0)
    return "it is a symbolic link; name the file that it points to";
  if (stat(path, &information) < 0) /* creating the file will say why */
    return NULL;
  *kept = (int)(information.st_mode & 0777);
  return permi_file_refusal(information.st_mode);
}

static int permi_file_close(permi_replacement *file, int code)
{
  int fault;
  if (!code && file->kept >= 0)
    (void)!fchmod(file->descriptor, (mode_t)file->kept); /* else it stays 0600 */
  if (!code) {
    errno = PERMI_FILE_FAULT("sync", NULL);
    if (!errno)
      PERMI_AGAIN(fsync(file->descriptor));
    code = errno == EINVAL ? 0 : errno;
  }
  fault = PERMI_FILE_FAULT("close", NULL); /* network file systems report a full disk here */
  if (file->stream ? fclose(file->stream) != 0 : close(file->descriptor) < 0)
    fault = fault ? fault : errno == EINTR ? 0 : errno ? errno : EIO;
  return code ? code : fault;
}
#else
static FILE *permi_file_open(const char *path, const char **why, int *missing)
{
  FILE *file = NULL;
  errno = PERMI_FILE_FAULT("open", NULL);
  if (!errno)
    file = fopen(path, "rb");
  *missing = !file && errno == ENOENT;
  *why = file ? NULL : strerror(errno);
  return file;
}

static int permi_file_create_new(permi_replacement *file)
{
  file->stream = fopen(file->name, "wbx");
  return file->stream ? 0 : errno ? errno : EIO;
}

static int permi_file_write(permi_replacement *file, const unsigned char *bytes, size_t size)
{
  errno = PERMI_FILE_FAULT("write", NULL);
  return errno ? errno : fwrite(bytes, 1, size, file->stream) == size ? 0 : errno ? errno : EIO;
}

static int permi_file_close(permi_replacement *file, int code)
{
  const int fault = PERMI_FILE_FAULT("close", NULL);
  if (fclose(file->stream) != 0 && !code)
    code = errno ? errno : EIO;
  return code ? code : fault;
}
#endif

static uint64_t permi_file_random(void)
{
  uint64_t number = 0;
#if PERMI_POSIX
  int descriptor;
  PERMI_AGAIN(descriptor = open("/dev/urandom", O_RDONLY | PERMI_CLOEXEC));
  if (descriptor >= 0) {
    ptrdiff_t got;
    PERMI_AGAIN(got = read(descriptor, &number, sizeof number));
    number ^= (uint64_t)got;
    close(descriptor);
  }
  number = permi_hash(number, PERMI_PROCESS);
#endif
  number = permi_hash(permi_hash(number, (uint64_t)time(NULL)), (uint64_t)(uintptr_t)&number);
  return permi_hash_double(number, permi_seconds());
}

static int permi_file_create(permi_replacement *file)
{
  int attempt, code = EEXIST;
  for (attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
    snprintf(file->name, strlen(file->path) + PERMI_STALE_BYTES + 1, "%s.%016llx.tmp", file->path,
             (unsigned long long)(permi_file_random() + (uint64_t)attempt));
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

/* The last steps; returns 0 or an errno. A second descriptor holds the lock until the rename. */
static int permi_file_finish(permi_replacement *file, int code)
{
#if PERMI_POSIX
  const int guard = code ? -1 : dup(file->descriptor);
#endif
  code = permi_file_close(file, code);
  if (!code) {
    file->failed = "rename";
    errno = PERMI_FILE_FAULT("rename", NULL);
    code = errno || PERMI_RENAME(file->name, file->path) != 0 ? errno ? errno : EIO : 0;
  }
#if PERMI_POSIX
  if (guard >= 0)
    close(guard);
#endif
  if (code && !PERMI_FILE_FAULT("remove", NULL))
    remove(file->name);
#if PERMI_POSIX
  if (!code) {
    const size_t length = permi_file_directory(file->path);
    file->failed = "sync the directory of";
    file->name[length] = 0;
    code = permi_directory_sync(length ? file->name : ".");
  }
#endif
  return code;
}

/* Replaces path by what `print` writes (it returns 0 on failure and sets errno), or by `size` bytes at `what` if print
   is NULL; what NULL: only tries. clean: removes leftovers. Returns NULL or why; *failed: the action, NULL: memory. */
static const char *permi_file_replace(const char *path, const perm_allocator *allocator, int clean,
                                      int (*print)(FILE *stream, const void *what), const void *what, size_t size,
                                      const char **failed)
{
  permi_replacement file;
  const char *why = NULL;
  int code;
  memset(&file, 0, sizeof file);
  file.path = path;
  file.failed = "write";
#if PERMI_POSIX
  file.descriptor = -1;
  why = permi_file_check(path, &file.kept);
#endif
  *failed = NULL;
  if (!why && !(file.name = (char *)permi_allocate(allocator, strlen(path) + PERMI_STALE_BYTES + 1, 1)))
    return "out of memory";
  if (!why) {
    file.failed = "create";
    code = permi_file_create(&file);
    why = code ? strerror(code) : NULL;
  }
  *failed = file.failed;
  if (why) {
    permi_release(allocator, file.name);
    return why;
  }
  file.failed = "write";
#if PERMI_POSIX
  if (print && !(file.stream = fdopen(file.descriptor, "wb")))
    code = errno ? errno : EIO;
#endif
  if (!code && print) {
    errno = 0;
    code = print(file.stream, what) && fflush(file.stream) == 0 ? 0 : errno ? errno : EIO;
  } else if (!code) {
    code = permi_file_write(&file, (const unsigned char *)what, size);
  }
  code = permi_file_finish(&file, what ? code : EIO);
#if PERMI_POSIX
  if (clean)
    permi_file_clean(path, file.name);
#else
  (void)clean;
#endif
  permi_release(allocator, file.name);
  *failed = file.failed;
  return code && what ? strerror(code) : NULL;
}
/* SPDX-License-Identifier: MIT */
