/** System call numbers: x86_64 (asm/unistd_64.h) and arm64 (asm-generic/unistd.h), null where a machine has no such call. */
type Numbers = readonly [x64: number, arm64: number | null];

/** Refused to everyone: what reaches other processes, other namespaces, the kernel, or memory nobody counts. */
export const FORBIDDEN = {
  // keys of the session that started us
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  // namespaces and mounts
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  swapon: [167, 224],
  swapoff: [168, 225],
  // files by handle pass every path check
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // parts of the kernel with a history
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  modify_ldt: [154, null],
  uselib: [134, null],
  lookup_dcookie: [212, 18],
  // the machine
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  fanotify_init: [300, 262],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  // memory that belongs to no process, so that no look at the processes finds it
  memfd_create: [319, 279],
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  // a program without a path
  execveat: [322, 281],
  // a FIFO left in a writable folder blocks whoever opens it outside
  mknod: [133, null],
  mknodat: [259, 33],
} as const satisfies Record<string, Numbers>;

/** Decided by their arguments. */
export const JUDGED = {
  clone: [56, 220],
  fork: [57, null],
  vfork: [58, null],
  socket: [41, 198],
  socketpair: [53, 199],
  getsockopt: [55, 209],
  mmap: [9, 222],
  ioctl: [16, 29],
  personality: [135, 92],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  open: [2, null],
  openat: [257, 56],
  creat: [85, null],
} as const satisfies Record<string, Numbers>;

/** From here on both machines count alike, and only these are known to be harmless: a newer kernel's calls are not. */
export const FIRST_SHARED = 424;
export const FCHMODAT2 = 452;
export const HARMLESS_SHARED = {
  close_range: 436,
  faccessat2: 439,
  epoll_pwait2: 441,
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
  futex_waitv: 449,
  map_shadow_stack: 453,
  futex_wake: 454,
  futex_wait: 455,
  futex_requeue: 456,
  mseal: 462,
} as const;
