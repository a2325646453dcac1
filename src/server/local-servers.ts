import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PRIVATE_FILE, privateFolder } from "../node/private-files";
import { commandLineOf } from "../node/processes";
import { databaseFile, type ServerRecord } from "./dev-server";
import { isThisProcess, type LeaseHolder, leaseHolders, takeLease } from "./leases";
import { isFree, splitAddress } from "./probe";

/**
 * What is known on this machine of embedded servers, in the cache that all projects of the user share: whose the server at a port
 * is, and which processes use it. Each project's data is in a separate database.
 */

const folderOf = (cache: string) => path.join(cache, "servers");
const fileOf = (cache: string, port: number) => path.join(folderOf(cache), `${port}.home`);
const usersOf = (cache: string, address: string) => path.join(folderOf(cache), `${splitAddress(address).port}.users`);

/** Keeps the home of a server that was started. */
export function noteServer(cache: string, home: string, { pid, address }: ServerRecord): void {
  privateFolder(folderOf(cache));
  writeFileSync(fileOf(cache, splitAddress(address).port), JSON.stringify({ pid, home }), PRIVATE_FILE);
}

/** The home whose embedded server listens at a port; null: none does, or nobody knows whose it is. */
export function homeOfServerAt(cache: string, port: number): string | null {
  try {
    const { pid, home } = JSON.parse(readFileSync(fileOf(cache, port), "utf8")) as { pid: number; home: string };
    return commandLineOf(pid)?.includes(databaseFile(home)) ? home : null;
  } catch {
    return null; // never noted
  }
}

const starterOf = (cache: string, port: number) => path.join(folderOf(cache), `${port}.background`);

/** Keeps that a background process of MCP sessions has started a server: the last of those that use it stops it. */
export function noteBackgroundServer(cache: string, { pid, address }: Pick<ServerRecord, "pid" | "address">): void {
  privateFolder(folderOf(cache));
  writeFileSync(starterOf(cache, splitAddress(address).port), String(pid), PRIVATE_FILE);
}

/** Whether a background process, this one or another, has started the server. */
export function isBackgroundServer(cache: string, { pid, address }: Pick<ServerRecord, "pid" | "address">): boolean {
  try {
    return readFileSync(starterOf(cache, splitAddress(address).port), "utf8") === String(pid);
  } catch {
    return false; // none was ever noted
  }
}

const heirOf = (cache: string, port: number) => path.join(folderOf(cache), `${port}.handed-over`);

/** Keeps that the command which started a server has ended while others used it: the last command that uses it stops it. */
export function noteHandedOver(cache: string, { pid, address }: Pick<ServerRecord, "pid" | "address">): void {
  privateFolder(folderOf(cache));
  writeFileSync(heirOf(cache, splitAddress(address).port), String(pid), PRIVATE_FILE);
}

/** Whether the command that started the server has left it to those that use it. */
export function isHandedOver(cache: string, { pid, address }: Pick<ServerRecord, "pid" | "address">): boolean {
  try {
    return readFileSync(heirOf(cache, splitAddress(address).port), "utf8") === String(pid);
  } catch {
    return false; // none was ever noted
  }
}

/** Records that this process needs the server. A server on another machine needs no record. @returns what takes it back */
export function useServer(cache: string, address: string): () => void {
  const { host } = splitAddress(address);
  return host === "127.0.0.1" || host === "localhost" ? takeLease(usersOf(cache, address)) : () => {};
}

/** Records it if the server is an embedded one of this machine: the command that stops it looks who uses it. */
export function useEmbeddedServer(cache: string, address: string): () => void {
  const isOurs = homeOfServerAt(cache, splitAddress(address).port) !== null;
  return isOurs ? useServer(cache, address) : () => {};
}

/** Other processes of ours on this machine that use the server, which listens here alone. */
export const serverUsers = (cache: string, address: string): LeaseHolder[] =>
  leaseHolders(usersOf(cache, address)).filter((one) => one.host === undefined && !isThisProcess(one));

const FURTHER = 100;

/** The first port from this one on, in steps of 100, that is free together with the one of the Web UI. */
export async function freePortFrom(port: number): Promise<number> {
  for (let next = port; next <= 64_535; next += FURTHER)
    if ((await isFree(next)) && (await isFree(next + 1_000))) return next;
  return port;
}
