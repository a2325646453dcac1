import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { giveSignOfLife, lifeOf, type SignOfLife } from "../../src/node/sign-of-life";
import { temporaryFolder } from "../support/environment";

const folder = temporaryFolder("sign");
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  folder.remove();
});

const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
let made = 0;
const newFile = () => {
  made += 1;
  return path.join(folder.path, `${made}.alive`);
};

/** Another process that gives a sign of life. */
async function otherProcess(): Promise<{ child: ChildProcess; file: string; sign: SignOfLife }> {
  const file = newFile();
  const program = 'require("net").createServer().listen(process.argv[1], () => console.log("listens"))';
  const child = spawn(process.execPath, ["-e", program, file], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  const { dev, ino } = statSync(file, { bigint: true });
  return { child, file, sign: { boot, device: String(dev), inode: String(ino) } };
}

async function killed() {
  const other = await otherProcess();
  other.child.kill("SIGKILL");
  await once(other.child, "exit");
  return other;
}

test("this process gives a sign until it takes it back", async () => {
  const file = newFile();
  const life = await giveSignOfLife(file);
  expect(life?.sign).toMatchObject({ boot });
  expect(await lifeOf(life?.sign as SignOfLife, file)).toBe("lives");
  life?.end();
  expect(existsSync(file)).toBe(false);
  expect(await lifeOf(life?.sign as SignOfLife, file)).toBe("unknown");
});

test("the folder may have a longer name than a socket", async () => {
  const long = path.join(folder.path, "a".repeat(200));
  mkdirSync(long);
  const file = path.join(long, "0.alive");
  const life = await giveSignOfLife(file);
  expect(await lifeOf(life?.sign as SignOfLife, file)).toBe("lives");
  life?.end();
});

test("a killed process has ended", async () => {
  const { file, sign } = await killed();
  expect(await lifeOf(sign, file)).toBe("ended");
});

test("a suspended process lives", async () => {
  const { child, file, sign } = await otherProcess();
  child.kill("SIGSTOP");
  expect(await lifeOf(sign, file)).toBe("lives");
});

test.each<[string, (file: string, sign: SignOfLife) => SignOfLife | undefined]>([
  ["on a machine that was started anew, or on another one", (_, sign) => ({ ...sign, boot: "another" })],
  ["at a file of another disk", (_, sign) => ({ ...sign, device: "1" })],
  [
    "at a copy of its file",
    (file) => {
      renameSync(file, `${file}.original`);
      writeFileSync(file, "");
      return undefined;
    },
  ],
  [
    "without its file",
    (file) => {
      rmSync(file);
      return undefined;
    },
  ],
])("nobody can tell %s", async (_, changed) => {
  const { file, sign } = await killed();
  expect(await lifeOf(changed(file, sign) ?? sign, file)).toBe("unknown");
});

test("there is no sign in a folder that is not there", async () => {
  await expect(giveSignOfLife(path.join(folder.path, "none", "0.alive"))).rejects.toThrow("ENOENT");
  await expect(giveSignOfLife(path.join(folder.path, "1.alive", "0.alive"))).rejects.toThrow();
});
