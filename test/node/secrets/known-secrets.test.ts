import { addEnvironmentSecrets } from "../../../src/node/secrets/environment-secrets";
import { PatternFinder } from "../../../src/node/secrets/find-patterns";
import { KnownSecrets } from "../../../src/node/secrets/known-secrets";
import { MaskedPieces, MaskedText } from "../../../src/node/secrets/masked-pieces";

const SECRET = 'sk_live_7"Qx/&+ ä!Z9';
const known = (secrets: { [name: string]: string } = { STRIPE_KEY: SECRET }) => {
  const all = new KnownSecrets();
  for (const [name, value] of Object.entries(secrets)) all.add(name, value);
  return all;
};

test.each([
  ["as it is", (s: string) => s],
  ["in JSON", (s: string) => JSON.stringify({ key: s })],
  ["in JSON within JSON", (s: string) => JSON.stringify({ body: JSON.stringify({ key: s }) })],
  ["in JSON that is safe for pages", (s: string) => JSON.stringify(s).replaceAll("&", "\\u0026")],
  ["in an address", (s: string) => `https://x.example/?key=${encodeURIComponent(s)}`],
  ["in a form", (s: string) => new URLSearchParams({ a: "b", key: s }).toString()],
  ["as URL writes a password", (s: string) => Object.assign(new URL("http://u@h"), { password: s }).href],
  ["as URL writes a query", (s: string) => Object.assign(new URL("http://h"), { search: s }).href],
  ["as RFC 3986 says", (s: string) => encodeURIComponent(s).replace("!", "%21")],
  ["in an address that leaves what it may", (s: string) => encodeURI(s)],
  ["in hexadecimal", (s: string) => Buffer.from(s).toString("hex")],
  ["in base64 at the beginning", (s: string) => Buffer.from(`${s}, and more`).toString("base64")],
  ["in base64 after one byte", (s: string) => Buffer.from(`x${s}y`).toString("base64")],
  ["in base64 after two bytes", (s: string) => Buffer.from(`xx${s}`).toString("base64")],
  ["in base64url", (s: string) => Buffer.from(`user:${s}`).toString("base64url")],
])("a secret %s is found and masked", (_, written) => {
  const secrets = known();
  const text = written(SECRET);
  expect(secrets.findIn(text)).toBe("STRIPE_KEY");
  const clean = secrets.mask(`before ${text} after`);
  expect(clean).toMatch(/^before .*\[secret STRIPE_KEY\].* after$/);
  expect(secrets.findIn(clean)).toBeNull();
});

const inLines = (text: string, end: string, width = 76) =>
  text.replaceAll(new RegExp(`(.{${width}})`, "g"), `$1${end}`);
const escaped = (text: string) =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

test.each([
  ["base64 in lines", (s: string) => inLines(Buffer.from("x".repeat(50) + s).toString("base64"), "\n")],
  [
    "base64 in lines of a PEM file",
    (s: string) => inLines(Buffer.from("x".repeat(40) + s).toString("base64"), "\r\n", 64),
  ],
  [
    "base64 in lines within JSON",
    (s: string) => JSON.stringify(inLines(Buffer.from("x".repeat(51) + s).toString("base64"), "\n")),
  ],
  ["escapes", escaped],
  ["escapes within JSON", (s: string) => JSON.stringify({ note: escaped(s) })],
  ["escapes of some characters", (s: string) => s.replaceAll("s", "\\u0073").replaceAll("Q", "\\u0051")],
  ["JSON of ASCII characters", (s: string) => JSON.stringify(s).replaceAll("ä", "\\u00e4")],
])("a secret written as %s is found and masked, and the rest stays", (_, written) => {
  const secrets = known();
  const text = `before\n${written(SECRET)}\nafter`;
  expect(secrets.findIn(text)).toBe("STRIPE_KEY");
  expect([...secrets.namesIn(Buffer.from(text))]).toEqual(["STRIPE_KEY"]);
  const clean = secrets.mask(text);
  expect(clean).toMatch(/^before\n.*\[secret STRIPE_KEY\].*\nafter$/s);
  expect(secrets.findIn(clean)).toBeNull();
  expect(secrets.mask("one line\nand\u0020the next")).toBe("one line\nand\u0020the next");
});

test("each line of a private key is a secret of its own", () => {
  const line = "MC4CAQAwBQYDK2VwBCIEIJ0Xr3Qm8sWbFzq1";
  const secrets = known({ KEY: `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n` });
  expect(secrets.mask(`it was ${line}.`)).toBe("it was [secret KEY].");
});

test.each([
  ["\n", "with line ends"],
  ["\\n", "with \\n in one line"],
  [" ", "with spaces in one line"],
])("a private key is found in each spelling, where its variable has it with %j (%s)", (kept) => {
  const lines = [
    "-----BEGIN PRIVATE KEY-----",
    "MC4CAQAwBQYDK2VwBCIEIJ0Xr3Qm8sWbFzq1",
    "Zt4Yx0a=",
    "-----END PRIVATE KEY-----",
  ];
  const secrets = known({ KEY: lines.join(kept) });
  const real = `${lines.join("\n")}\n`;
  for (const text of [
    real,
    real.replaceAll("\n", "\r\n"),
    real.replaceAll("\n", "\\n"),
    JSON.stringify({ key: real }),
  ]) {
    expect(secrets.mask(text)).toContain("[secret KEY]");
    expect(secrets.mask(text)).not.toMatch(/MC4C|Zt4Y/);
    const pieces = new MaskedText(secrets);
    const streamed = [...text].map((char) => pieces.push(char)).join("") + pieces.end();
    expect(streamed).toBe(secrets.mask(text));
  }
});

test("of two secrets the longer one is masked whole, and both names are told", () => {
  const secrets = known({ SHORT: "abcd1234", LONG: "abcd1234efgh5678" });
  expect(secrets.mask("abcd1234efgh5678 abcd1234 abcd1234efgh")).toBe(
    "[secret LONG] [secret SHORT] [secret SHORT]efgh",
  );
});

test("a value of fewer than eight characters is not looked for", () => {
  const secrets = new KnownSecrets();
  expect(secrets.add("PIN", "1234567")).toBe(false);
  expect(secrets.mask("1234567 is a number")).toBe("1234567 is a number");
});

test("keys, numbers and nested values are masked as values", () => {
  const secrets = known({ PIN: "123456789012", KEY: "key-abcdefgh" });
  expect(secrets.maskJson({ "key-abcdefgh": [123456789012, { a: "x key-abcdefgh" }], b: 1, c: null })).toEqual({
    "[secret KEY]": ["[secret PIN]", { a: "x [secret KEY]" }],
    b: 1,
    c: null,
  });
});

test("two keys of an object that hold one secret stay two", () => {
  const secrets = known({ KEY: "key-abcdefgh" });
  const both = {
    "key-abcdefgh": 1,
    "key%2Dabcdefgh": 2,
    "[secret KEY]": 3,
    [Buffer.from("key-abcdefgh").toString("hex")]: 4,
  };
  expect(secrets.maskJson(both)).toEqual({
    "[secret KEY] (2)": 1,
    "key%2Dabcdefgh": 2,
    "[secret KEY]": 3,
    "[secret KEY] (3)": 4,
  });
});

test("errors lose secrets in message, stack, details and causes", () => {
  const error = new Error("401 for key-abcdefgh", {
    cause: Object.assign(new Error("sent key-abcdefgh"), { details: ["key-abcdefgh"] }),
  });
  const clean = known({ KEY: "key-abcdefgh" }).maskError(error);
  expect(clean).toBe(error);
  const cause = clean.cause as Error & { details: unknown };
  expect(
    `${clean.message} ${clean.stack} ${cause.message} ${cause.stack} ${JSON.stringify(cause.details)}`,
  ).not.toContain("abcdefgh");
});

test("a secret that comes in pieces of any length is masked, and nothing else changes", () => {
  const text = `ab ${SECRET} cd`.repeat(3);
  const whole = Buffer.from(text);
  for (let size = 1; size < whole.length; size++) {
    const pieces = new MaskedPieces(known());
    const out: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) out.push(pieces.push(whole.subarray(at, at + size)));
    out.push(pieces.end());
    expect(Buffer.concat(out).toString()).toBe("ab [secret STRIPE_KEY] cd".repeat(3));
  }
});

test("a secret that begins with another one is masked whole where its end comes later", () => {
  const pieces = new MaskedPieces(known({ SHORT: "abcd1234", LONG: "abcd1234efgh5678" }));
  const out = ["it is abcd1234", "efgh", "5678, and abcd1234", " x abcd1234"].map((text) =>
    pieces.push(Buffer.from(text)),
  );
  expect([...out, pieces.end()].map(String).join("|")).toBe(
    "it is ||[secret LONG], and |[secret SHORT] x |[secret SHORT]",
  );
});

test("a model's words are held back only while they may be the beginning of a secret", () => {
  const text = new MaskedText(known({ KEY: "key-abcdefgh" }));
  expect(text.push("the key-")).toBe("the ");
  expect(text.push("board 👍".slice(0, -1))).toBe("key-board ");
  expect(text.push("👍".slice(1))).toBe("👍");
  expect(text.push("key-abc")).toBe("");
  expect(text.push("defgh!")).toBe("[secret KEY]!");
  expect(text.push("key-ab")).toBe("");
  expect(text.end()).toBe("key-ab");
});

test("the search finds what a plain search finds", () => {
  // Few letters, so that patterns overlap and windows nearly match.
  let state = 7;
  const letter = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return "ab"[(state >> 16) & 1] as string;
  };
  const word = (length: number) => Array.from({ length }, letter).join("");
  for (let round = 0; round < 300; round++) {
    const patterns = Array.from({ length: 3 }, () => word(8 + (round % 5)));
    const text = word(200);
    const expected = Math.min(...patterns.map((one) => text.indexOf(one)).map((at) => (at < 0 ? Infinity : at)));
    const found = new PatternFinder(patterns.map((one) => Buffer.from(one))).next(Buffer.from(text));
    expect(found?.at ?? Infinity).toBe(expected);
  }
});

test.each([
  ["STRIPE_API_KEY", "sk_live_4242abcdefgh", true],
  ["GITHUB_TOKEN", "ghp_16C7e42F292c6912E7", true],
  ["DB_PASSWORD", "correct horse battery", false],
  ["TEST_TOKEN", "development", false],
  ["STRIPE_PUBLISHABLE_KEY", "pk_live_4242abcdefgh", false],
  ["PWD", process.cwd(), false],
  ["TLS_KEY", __filename, false],
  ["AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE", false],
  // What variables of such names hold where they name no secret.
  ["CACHE_KEY", "linux-node-20-build", false],
  ["S3_KEY", "uploads/2024/report1.csv", false],
  ["S3_KEY", "uploads/quarterlyreport2024", false],
  ["SORT_KEY", "customer_id_v2", false],
  ["CACHE_KEY", "build20240131", false],
  ["PARTITION_KEY", "customer00000042", false],
  ["MERCHANT_KEY", "INV20240001234", false],
  ["DB_SECRET", "name-of-the-secret", false],
  ["DB_PASSWORD", "correct-horse-battery-staple", true],
  ["DB_PASSWORD", "correct horse battery staple", true],
  ["MODEL_KEY", "gpt-4o-2024-08-06", false],
  ["CACHE_KEYS", '{"v2":["customer_id","order_id_1"]}', false],
  ["PWD", "/removed/project2", false],
  ["DB_PASSWORD", "/run/secrets/password1", false],
  ["ACCESS_TOKEN", "/var/run/secrets/token1", false],
  ["MYSQL_PWD", "navigator-4-you", true],
  ["PGPASSWORD", "navigator-4-you", true],
  ["GITHUB_PAT", "github_pat_11AAAB4Q0x7w", true],
  ["npm_config__authToken", "npm_Zt4Yx0aLq82mNcVb", true],
  ["AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY/1aB2c3D4e5F6", true],
  ["SESSION_KEY", "QwErTyUiOpAsDfGhJkLz", true],
  ["AZURE_KEY", "3f2b8c1e-9d4a-4c7b-8e21-0a5f6d7c8b9a", true],
  ["KEYBOARD", "us-intl-with-dead-keys-105", false],
  ["SIGNER", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIJ0Xr3Qm8sWbFzq1AAAAAAA\n-----END EC PRIVATE KEY-----", true],
])("the variable %s=%s is a secret: %s", (name, value, isSecret) => {
  const secrets = new KnownSecrets();
  addEnvironmentSecrets(secrets, { [name]: value });
  expect(secrets.findIn(`it is ${value}!`) !== null).toBe(isSecret);
});

test("a project names secrets and says what is none; a password in an address is one", () => {
  const secrets = new KnownSecrets();
  const env = {
    DB_PASSWORD: "correct horse battery",
    PIN: "1234",
    BUILD_TOKEN: "build-2026-11-26-a",
    DATABASE_URL: "postgres://app:p%40ss-1234567890@db.example/app",
  };
  expect(
    addEnvironmentSecrets(secrets, env, { names: ["DB_PASSWORD", "PIN", "UNSET"], ignore: ["BUILD_TOKEN"] }),
  ).toEqual(["PIN"]);
  expect(secrets.mask("correct horse battery; build-2026-11-26-a; p@ss-1234567890; 1234")).toBe(
    "[secret DB_PASSWORD]; build-2026-11-26-a; [secret DATABASE_URL]; 1234",
  );
});

const BASIC = Buffer.from("app:p-1234567890x").toString("base64");
test.each([
  [
    "DATABASE_URL",
    "postgres://u:tok%2Fen+a1b2c3d4@db/h",
    ["tok%2Fen+a1b2c3d4", "tok/en+a1b2c3d4", "tok%2Fen%2Ba1b2c3d4"],
  ],
  ["DATABASE_URL", "postgres://u:to!k|en+a1b2c3d4@a:1,b:2/h", ["to!k|en+a1b2c3d4", "to%21k%7Cen%2Ba1b2c3d4"]],
  ["PROXY", "http://u:to|k^en+a1b2c3d4@proxy", ["to|k^en+a1b2c3d4", "to%7Ck%5Een+a1b2c3d4"]],
  ["REDIS", "redis://:correct-horse-battery-staple@h", ["correct-horse-battery-staple"]],
  ["AUTH_HEADER", `Basic ${BASIC}`, [BASIC, "p-1234567890x"]],
  ["OTLP_HEADERS", "Authorization=Bearer%20sk4eC39HqLyjWDarjt,x=1", ["sk4eC39HqLyjWDarjt"]],
  ["STORAGE", "AccountName=a;AccountKey=Zt4Yx0aLq82mNcVb/w==;EndpointSuffix=x", ["Zt4Yx0aLq82mNcVb/w=="]],
  ["PG", "host=h password='p-1234567890x' user=u", ["p-1234567890x"]],
  ["SAS", "https://x.example/?sv=2022&sig=Zt4Yx0aLq82m%2Fcb1", ["Zt4Yx0aLq82m/cb1", "Zt4Yx0aLq82m%2Fcb1"]],
])("a secret inside of the variable %s=%s is found in each spelling", (name, value, parts) => {
  const secrets = new KnownSecrets();
  addEnvironmentSecrets(secrets, { [name]: value });
  for (const part of parts) expect(secrets.mask(`it is ${part}!`)).toBe(`it is [secret ${name}]!`);
  expect(secrets.findIn(value)).toBe(name);
});

test.each([
  ["postgres://postgres:postgres@localhost/app"],
  ["Basic authentication is on"],
  ["cache_key=linux-node-20-build&public_key=Zt4Yx0aLq82mNcVb"],
  ["https://x.example/?next=a:b-1234567890@c"],
])("no secret is taken from %s", (value) => {
  const secrets = new KnownSecrets();
  addEnvironmentSecrets(secrets, { SETTING: value });
  expect(secrets.isEmpty).toBe(true);
});
