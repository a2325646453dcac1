const WIDTH = 30;
const CLEAR = "\r\u001b[K";

/** Draws how far a command is: a bar that is drawn over again on a terminal, a line at each tenth elsewhere. */
export function progressOf(stderr: {
  write(text: string): unknown;
  isTTY?: boolean;
}): (label: string, done: number, total: number) => void {
  let shown = "";
  return (label, done, total) => {
    const part = total === 0 ? 1 : Math.min(1, done / total);
    const line = `${label} ${stderr.isTTY === true ? bar(part) : `${Math.floor(part * 10) * 10} %`}`;
    // A command tells it far more often than anybody can see.
    if (line === shown) return;
    shown = part === 1 ? "" : line;
    if (stderr.isTTY === true) stderr.write(part === 1 ? CLEAR : `${CLEAR}${line}`);
    else if (part < 1) stderr.write(`${line}\n`);
  };
}

function bar(part: number): string {
  const full = Math.floor(part * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${Math.floor(part * 100)} %`;
}
