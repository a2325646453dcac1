import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, renameSync } from "node:fs";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { CliInstall } from "./install";

/** Without an answer or a further byte within this time, the network counts as unavailable, and Go is the next way. */
const SILENCE_MS = 15_000;

const PLATFORMS: Record<string, string> = { linux: "linux", darwin: "darwin", win32: "windows" };
/**
 * SHA-256 of the archives of release 1.9.1, from its `checksums.txt`. A new release needs new ones, and a run of the tests with it
 * (engine reference, section 9).
 */
const SUMS: Readonly<Record<string, string>> = {
  linux_amd64: "09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5",
  linux_arm64: "6c57c352d52fc3df34412376fd9ba6f74b7e3ace8e426e6cba8600156d36a145",
  darwin_amd64: "48cdd6c84c56e27ae8e4d9a47052b89289a9c552dee029b49dd312c6fb72873f",
  darwin_arm64: "41e0425378fcb4fb5766340b97435e20fe47bbff2d7bf644ec2d51f7662b7c56",
  windows_amd64: "42637464c337a3da203fbd4e8c688e4b2d511fd42bd19c337c0422e923a7b619",
  windows_arm64: "cfdfe43e69a2261191148294b1f7e3a7088ef8d3dc1ab1909b115b1784b6c6fe",
};

const ARCHITECTURES: Record<string, string> = { x64: "amd64", arm64: "arm64" };

/**
 * Downloads the CLI from the source of Temporal's SDKs: a small document names the archive and the file inside. The archive must be
 * the one that was tested, byte for byte.
 *
 * @throws Error with the reason in one sentence; the caller tries the next way.
 */
export async function downloadCli({
  version,
  folder,
  target,
  check,
  downloadBase,
  progress,
  sums = SUMS,
}: CliInstall): Promise<void> {
  const started = Date.now();
  const platform = PLATFORMS[process.platform];
  const arch = ARCHITECTURES[process.arch];
  if (!platform || !arch)
    throw new Error(`Download: no Temporal CLI is published for ${process.platform} ${process.arch}.`);
  progress(`Downloading the Temporal CLI ${version} from ${downloadBase} ...`);
  const host = new URL(downloadBase).host;
  try {
    const query = new URLSearchParams({ platform, arch, format: "tar.gz" });
    const info = await get(`${downloadBase}/cli/v${version}?${query}`);
    const { archiveUrl, fileToExtract } = (await info.response.json()) as Record<string, string | undefined>;
    info.done();
    if (!archiveUrl || !fileToExtract) throw new Error("the answer names no archive");
    const archive = path.join(folder, "archive");
    await fetchTo(archive, archiveUrl, progress);
    const sum = await digestOf(archive);
    if (sum !== sums[`${platform}_${arch}`])
      throw new Error(`the archive is another one than that of ${version}: its SHA-256 is ${sum}`);
    await promisify(execFile)("tar", ["-xf", archive, "-C", folder, fileToExtract]);
  } catch (error) {
    const seconds = Math.round((Date.now() - started) / 1000);
    throw new Error(`Download: ${host} did not give the CLI (${reason(error)}, after ${seconds} s).`);
  }
  const program = path.join(folder, platform === "windows" ? "temporal.exe" : "temporal");
  if (!existsSync(program)) throw new Error(`Download: the archive from ${host} contains no "temporal".`);
  const checked = await check(program);
  if ("problem" in checked) throw new Error(`Download: what came from ${host} cannot be used: ${checked.problem}.`);
  renameSync(program, target);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

async function fetchTo(file: string, url: string, progress: (line: string) => void): Promise<void> {
  const { response, alive, done } = await get(url);
  const total = Number(response.headers.get("content-length") ?? 0);
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  let received = 0;
  let shown = Date.now();
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      alive();
      received += chunk.length;
      if (Date.now() - shown > 2_000) {
        shown = Date.now();
        progress(`  ${megabytes(received)} MB${total ? ` of ${megabytes(total)} MB` : ""}`);
      }
      next(null, chunk);
    },
  });
  if (!response.body) throw new Error("an empty answer");
  await pipeline(Readable.fromWeb(response.body), counter, createWriteStream(file));
  done();
}

/** A GET that is given up if nothing arrives for SILENCE_MS; `alive` restarts that time, `done` ends it. */
async function get(url: string) {
  const abort = new AbortController();
  const giveUp = () => abort.abort(new Error(`nothing came for ${SILENCE_MS / 1000} s`));
  let timer = setTimeout(giveUp, SILENCE_MS);
  const done = () => clearTimeout(timer);
  const alive = () => {
    done();
    timer = setTimeout(giveUp, SILENCE_MS);
  };
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return { response, alive, done };
  } catch (error) {
    done();
    throw error;
  }
}

/** `fetch failed` has no reason; its cause has. */
function reason(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name could not be looked up: no network?";
  if (code === "ECONNREFUSED") return "connection refused";
  return cause?.message ?? message;
}
