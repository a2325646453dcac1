import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends the servers of a worker that was killed. SIGKILL leaves a process no time to end its children, and not every
 * server ends when its input closes. So a small shell waits for the end of its own input, which means the end of this
 * process, and then ends the registered process groups.
 */
const SCRIPT = `
groups=" "
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
[ "$groups" = " " ] && exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
`;

let shell: ChildProcess | undefined;
const guarded = new Set<number>();

/** From now on the process group ends with this process, however that ends. */
export function guard(group: number): void {
  guarded.add(group);
  if (shell) return tell(`add ${group}`);
  // A session of its own: Ctrl-C on the terminal must not end it before those it waits for.
  shell = spawn("/bin/sh", ["-c", SCRIPT], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell servers are still ended when the worker ends in order.
  shell.on("error", () => {
    shell = undefined;
  });
  shell.on("exit", () => {
    shell = undefined;
  });
  shell.stdin?.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void }).unref?.();
  for (const one of guarded) tell(`add ${one}`);
}

/** The group has ended: its number may soon be reused. */
export function unguard(group: number): void {
  if (guarded.delete(group)) tell(`drop ${group}`);
}

function tell(line: string): void {
  shell?.stdin?.write(`${line}\n`);
}
