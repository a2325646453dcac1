import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ensureCli } from "../../src/server/temporal-cli";
import { temporaryFolder } from "../support/environment";

/** The download against a loopback server that answers as temporal.download does. */

const WORKING = "#!/bin/sh\necho 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'\n";

let folder: ReturnType<typeof temporaryFolder>;
let server: Server;
let program: string;
let asked: string[];

beforeEach(async () => {
  folder = temporaryFolder("download");
  program = WORKING;
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url!);
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url!.startsWith("/cli/"))
      response.end(JSON.stringify({ archiveUrl: `${base}/archive.tar.gz`, fileToExtract: "temporal" }));
    else response.end(archiveOf(program));
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

/** Without Go, and with `tar` and `sh` alone on PATH. */
function install() {
  const said: string[] = [];
  const bin = path.join(folder.path, "bin");
  mkdirSync(bin, { recursive: true });
  const cli = ensureCli({
    cache: path.join(folder.path, "cache"),
    downloadBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env: { PATH: bin },
    progress: (line) => said.push(line),
  });
  return { cli, said };
}

test("the CLI is downloaded for this platform, checked, and kept in the cache", async () => {
  const { cli } = install();
  const executable = path.join(folder.path, "cache", "bin", "temporal-1.5.1");
  expect(await cli).toEqual({ executable, source: "download", version: "1.5.1 (Server 1.29.1, UI 2.42.1)" });
  expect(asked[0]).toMatch(/^\/cli\/v1\.5\.1\?platform=(linux|darwin)&arch=(amd64|arm64)&format=tar\.gz$/);
  expect(await install().cli).toMatchObject({ executable, source: "cache" });
  expect(asked).toHaveLength(2);
});

test("two installations at once download once", async () => {
  const [first, second] = [install(), install()];
  expect((await first.cli).executable).toBe((await second.cli).executable);
  expect(asked).toHaveLength(2);
});

test("a program that does not run on this machine is not kept", async () => {
  program = "#!/bin/sh\nexit 1\n";
  const { cli, said } = install();
  await expect(cli).rejects.toMatchObject({ code: "no_cli", exitCode: 3 });
  expect(said.join("\n")).toContain("cannot be used");
  program = WORKING;
  expect(await install().cli).toMatchObject({ source: "download" });
});
