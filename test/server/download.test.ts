import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ensureCli } from "../../src/server/temporal-cli";
import { temporaryFolder } from "../support/environment";

/** The download against a loopback server that answers as temporal.download does. */

const WORKING = "#!/bin/sh\necho 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)'\n";

let folder: ReturnType<typeof temporaryFolder>;
let server: Server;
let archive: Buffer;
let asked: string[];

beforeEach(async () => {
  folder = temporaryFolder("download");
  archive = archiveOf(WORKING);
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url!);
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url!.startsWith("/cli/"))
      response.end(JSON.stringify({ archiveUrl: `${base}/archive.tar.gz`, fileToExtract: "temporal" }));
    else response.end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  folder.remove();
});

function archiveOf(text: string): Buffer {
  const source = path.join(folder.path, "source");
  mkdirSync(source, { recursive: true });
  writeFileSync(path.join(source, "temporal"), text, { mode: 0o755 });
  execFileSync("tar", ["-czf", path.join(folder.path, "archive.tar.gz"), "-C", source, "temporal"]);
  return readFileSync(path.join(folder.path, "archive.tar.gz"));
}

const platforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];
const sumsOf = (archive: Buffer) =>
  Object.fromEntries(platforms.map((name) => [name, createHash("sha256").update(archive).digest("hex")]));

/** Without Go, and with `tar` and `sh` alone on PATH. `sums`: of what the server gives now. */
function install(sums?: { [platform: string]: string } | null) {
  const said: string[] = [];
  const bin = path.join(folder.path, "bin");
  mkdirSync(bin, { recursive: true });
  const cli = ensureCli({
    cache: path.join(folder.path, "cache"),
    downloadBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env: { PATH: bin },
    ...(sums === null ? {} : { sums: sums ?? sumsOf(archive) }),
    progress: (line) => said.push(line),
  });
  return { cli, said };
}

test("the CLI is downloaded for this platform, checked, and kept in the cache", async () => {
  const { cli } = install();
  const executable = path.join(folder.path, "cache", "bin", "temporal-1.9.1");
  expect(await cli).toEqual({ executable, source: "download", version: "1.9.1 (Server 1.32.0, UI 2.54.1)" });
  expect(asked[0]).toMatch(/^\/cli\/v1\.9\.1\?platform=(linux|darwin)&arch=(amd64|arm64)&format=tar\.gz$/);
  expect(await install().cli).toMatchObject({ executable, source: "cache" });
  expect(asked).toHaveLength(2);
});

test("two installations at once download once", async () => {
  const [first, second] = [install(), install()];
  expect((await first.cli).executable).toBe((await second.cli).executable);
  expect(asked).toHaveLength(2);
});

test("a program that does not run on this machine is not kept", async () => {
  archive = archiveOf("#!/bin/sh\nexit 1\n");
  const { cli, said } = install();
  await expect(cli).rejects.toMatchObject({ code: "local_server_failed", details: { path: "temporal" }, exitCode: 3 });
  expect(said.join("\n")).toContain("cannot be used");
  archive = archiveOf(WORKING);
  expect(await install().cli).toMatchObject({ source: "download" });
});

test("an archive that is not the tested one, byte for byte, is neither unpacked nor run", async () => {
  const { cli } = install(null);
  await expect(cli).rejects.toMatchObject({
    code: "local_server_failed",
    details: { tried: expect.arrayContaining([expect.stringContaining("its SHA-256 is ")]) },
  });
  const other = sumsOf(archiveOf("#!/bin/sh\nexit 0\n"));
  archive = archiveOf(WORKING);
  await expect(install(other).cli).rejects.toMatchObject({
    code: "local_server_failed",
    details: { path: "temporal" },
  });
  expect(await install().cli).toMatchObject({ source: "download" });
});

test("a CLI that Go has built before is used where no newer one is in the cache", async () => {
  const built = path.join(folder.path, "cache", "bin", "temporal-1.5.1");
  mkdirSync(path.dirname(built), { recursive: true });
  writeFileSync(built, WORKING.replace("1.9.1 (Server 1.32.0", "1.5.1 (Server 1.29.1"), { mode: 0o755 });
  expect(await install().cli).toMatchObject({ executable: built, source: "cache" });
  expect(asked).toEqual([]);
  const downloaded = built.replace("1.5.1", "1.9.1");
  writeFileSync(downloaded, WORKING, { mode: 0o755 });
  expect(await install().cli).toMatchObject({ executable: downloaded, source: "cache" });
});
