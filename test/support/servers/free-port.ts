import { type AddressInfo, createServer } from "node:net";

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  const port = await listenable(0);
  if (port === null) throw new Error("This machine has no free port.");
  return port;
}

/** The same, of those below 32,768: PostgreSQL's `smallint`, in which a Temporal cluster keeps where its services listen, has no more. */
export async function freeLowPort(): Promise<number> {
  for (;;) {
    const port = await listenable(20_000 + Math.floor(Math.random() * 12_000));
    if (port !== null) return port;
  }
}

/** null: another one listens there. */
async function listenable(wanted: number): Promise<number | null> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(wanted, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return null;
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
