/** What the SDK's stdio transport needs of stdout. */
type ProtocolStream = Pick<NodeJS.WriteStream, "write" | "once">;

/**
 * Keeps stdout for the protocol: whatever else in this process writes there (a project's code, a library, `console.log`)
 * goes to stderr from now on. To be called before anything is loaded that might write.
 */
export function ownStdout(streams: Pick<NodeJS.Process, "stdout" | "stderr"> = process): ProtocolStream {
  const { stdout, stderr } = streams;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return { write, once: stdout.once.bind(stdout) } as ProtocolStream;
}
