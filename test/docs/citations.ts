import path from "node:path";

/** The numbered documents of docs/reference that may be cited. */
const DOCUMENTS = ["agent", "graph", "plan", "lisp", "mcp", "engine", "effects", "approvals", "web"];

/** What the files of a repository say; paths from its root. */
export interface Repository {
  text(file: string): string;
  exists(file: string): boolean;
}

/** What one file cites and links to. */
export interface Found {
  /** Sections that were looked up; `sections 1-3` are three. */
  citations: number;
  links: number;
  /** `file:line: what is wrong` */
  problems: string[];
}

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const LIST = String.raw`${NUMBER}(?:\s*(?:-|,|,? and)\s*${NUMBER})*`;
/** `agent reference, sections 4.2 and 5`, and all that looks like it: `design section 9`, `reference 11.5`, `agent.md 4.2`. */
const CITED = new RegExp(
  [
    String.raw`(?:\b(\w+)\s+)?\breference,?\s+(?:sections?\s+)?(${LIST})`,
    String.raw`\b[\w-]+\.md,?\s+(?:sections?\s+)?${LIST}`,
    String.raw`\bsections?\s+(${LIST})`,
  ].join("|"),
  "gi",
);
/** Documents with numbered sections of their own, which are elsewhere. */
const ELSEWHERE = /\bRFC \d+,\s+$/;
/** Sections that are no text's: `cross section 12`. */
const NO_TEXT = /\bcross $/;
const ABSENT = /\bspec\/[\w-]+\.md|\btemporal-notes\b/g;

/** Reads one file, and of others what it cites or links to. */
export function readText(file: string, repository: Repository): Found {
  const found: Found = { citations: 0, links: 0, problems: [] };
  const source = repository.text(file);
  const tell = (at: number, problem: string) => found.problems.push(`${file}:${lineAt(source, at)}: ${problem}`);

  for (const { 0: whole, index } of source.matchAll(ABSENT)) tell(index, `"${whole}" is not in the repository`);
  const text = withoutMarkers(source);
  for (const match of text.matchAll(CITED)) {
    const { 0: whole, 1: named, 2: list = match[3], index } = match;
    const before = text.slice(0, index);
    if (ELSEWHERE.test(before) || NO_TEXT.test(before)) continue;
    const document = match[3] === undefined ? canonical(whole, named) : documentOf(file);
    if (document === undefined || list === undefined) {
      tell(
        index,
        `"${whole.replace(/\s+/g, " ")}" does not say of which document (as in "agent reference, section 2")`,
      );
      continue;
    }
    const page = `docs/reference/${document}.md`;
    if (file !== page && !repository.exists(page)) tell(index, `there is no ${page}`);
    else {
      const there = sectionsOf(repository.text(page));
      const sections = expanded(list);
      found.citations += sections.length;
      const missing = sections.find((section) => !there.has(section));
      if (missing !== undefined) tell(index, `the ${document} reference has no section ${missing}`);
    }
  }
  if (file.endsWith(".md")) readLinks(file, repository, found, tell);
  return found;
}

/** Ends of lines and the stars and slashes of comments as spaces: a citation may go on in the next line. */
const withoutMarkers = (source: string): string =>
  source.replace(/\n[ \t]*(?:\*(?!\/)|\/\/+|#+(?!#* ?\d))?/g, (marker) => " ".repeat(marker.length));

const lineAt = (source: string, at: number): number => source.slice(0, at).split("\n").length;

/** A reference may speak of its own sections without its name. */
const documentOf = (file: string): string | undefined => {
  const name = /^docs\/reference\/(\w+)\.md$/.exec(file)?.[1];
  return name !== undefined && DOCUMENTS.includes(name) ? name : undefined;
};

/** The document that is named, where it is one and the form is that which all use. */
function canonical(whole: string, named = ""): string | undefined {
  return DOCUMENTS.includes(named) && /^\w+\s+reference,\s+sections?\s/.test(whole) ? named : undefined;
}

/** `2.1 and 4-6`: 2.1, 4, 5, 6. */
function expanded(list: string): string[] {
  return list.split(/\s*(?:, and|,|and)\s*/).flatMap((part) => {
    const [first = "", last = first] = part.split(/\s*-\s*/);
    const head = first.slice(0, first.lastIndexOf(".") + 1);
    const [from, to] = [first, last].map((number) => Number(number.slice(head.length))) as [number, number];
    if (!last.startsWith(head) || !(to > from)) return first === last ? [first] : [first, last];
    return Array.from({ length: to - from + 1 }, (_, i) => `${head}${from + i}`);
  });
}

/** Numbers of headings such as `## 4. Tools` and `### 4.2 Calls`. */
function sectionsOf(page: string): Set<string> {
  return new Set(headingsOf(page).flatMap((heading) => /^(\d+(?:\.\d+)*)\.? /.exec(heading)?.[1] ?? []));
}

const headingsOf = (page: string): string[] =>
  [...withoutExamples(page).matchAll(/^#{1,6} +(.*?)[ #]*$/gm)].map((match) => match[1] as string);

/** Examples show Markdown; they neither link nor have headings. Their length stays, so that lines can be counted. */
const withoutExamples = (page: string): string =>
  page.replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n\1?\2[ \t]*$/gm, blank).replace(/<!--[\s\S]*?-->/g, blank);
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

const LINK = /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)/gm;

function readLinks(file: string, repository: Repository, found: Found, tell: (at: number, problem: string) => void) {
  const text = withoutExamples(repository.text(file)).replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, blank);
  for (const { 1: inline, 2: defined, index } of text.matchAll(LINK)) {
    const target = (inline ?? defined) as string;
    if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
    found.links += 1;
    const [place = "", anchor] = target.split("#");
    const page = place === "" ? file : path.posix.join(path.posix.dirname(file), decodeURIComponent(place));
    if (page !== file && !repository.exists(page)) tell(index, `there is no ${page}`);
    else if (anchor !== undefined && page.endsWith(".md") && !anchorsOf(repository.text(page)).has(anchor))
      tell(index, `${page} has no heading #${anchor}`);
  }
}

/** The anchors of a page's headings, as GitHub makes them: the second of the same words gets `-1`. */
function anchorsOf(page: string): Set<string> {
  const times = new Map<string, number>();
  const anchors = headingsOf(page).map((heading) => {
    const words = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    const before = times.get(words) ?? 0;
    times.set(words, before + 1);
    return before === 0 ? words : `${words}-${before}`;
  });
  return new Set(anchors);
}
