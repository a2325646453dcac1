/**
 * A little Markdown, as text: headings, lists, code, emphasis and links to the web. Everything becomes nodes of text, so no text of
 * a model or a tool can become HTML; the component shows unknown syntax as it was written.
 */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(text).map(shownBlock)}</div>;
}

type Block =
  | { kind: "code"; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "list"; isNumbered: boolean; items: string[] }
  | { kind: "quote"; text: string }
  | { kind: "text"; text: string };

const FENCE = /^\s*(`{3,}|~{3,})/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^>\s?(.*)$/;

function blocksOf(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as string;
    const [, fence] = FENCE.exec(line) ?? [];
    const [, marks = "", title = ""] = HEADING.exec(line) ?? [];
    if (fence !== undefined) {
      const from = ++i;
      while (i < lines.length && !isEndOf(fence, lines[i] as string)) i++;
      blocks.push({ kind: "code", text: lines.slice(from, i).join("\n") });
      i++;
    } else if (marks !== "") {
      blocks.push({ kind: "heading", level: marks.length, text: title });
      i++;
    } else if (ITEM.test(line)) {
      const isNumbered = ITEM.exec(line)?.[1] === undefined;
      const items: string[] = [];
      for (; i < lines.length && ITEM.test(lines[i] as string); i++)
        items.push(ITEM.exec(lines[i] as string)?.[2] ?? "");
      blocks.push({ kind: "list", isNumbered, items });
    } else if (QUOTE.test(line)) {
      const quoted: string[] = [];
      for (; i < lines.length && QUOTE.test(lines[i] as string); i++)
        quoted.push(QUOTE.exec(lines[i] as string)?.[1] ?? "");
      blocks.push({ kind: "quote", text: quoted.join("\n") });
    } else if (line.trim() === "") i++;
    else {
      const from = i;
      while (i < lines.length && !startsBlock(lines[i] as string)) i++;
      blocks.push({ kind: "text", text: lines.slice(from, i).join("\n") });
    }
  }
  return blocks;
}

const isEndOf = (fence: string, line: string): boolean =>
  line.trim() === (fence[0] as string).repeat(Math.max(3, line.trim().length)) && line.trim().length >= fence.length;

const startsBlock = (line: string): boolean =>
  line.trim() === "" || FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || QUOTE.test(line);

function shownBlock(block: Block, i: number) {
  switch (block.kind) {
    case "code":
      return (
        <pre class="code" tabIndex={0} key={i}>
          {block.text}
        </pre>
      );
    case "heading":
      // The headings of a text are no headings of the page.
      return (
        <p key={i}>
          <strong>{inline(block.text)}</strong>
        </p>
      );
    case "list": {
      const items = block.items.map((item, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a text do not move
        <li key={n}>{inline(item)}</li>
      ));
      return block.isNumbered ? <ol key={i}>{items}</ol> : <ul key={i}>{items}</ul>;
    }
    case "quote":
      return <blockquote key={i}>{inline(block.text)}</blockquote>;
    case "text":
      return <p key={i}>{inline(block.text)}</p>;
  }
}

const INLINE = /(`+)([\s\S]*?[^`])\1(?!`)|\*\*([^*\n]+)\*\*|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s()<>"]{1,2000})\)/g;

/** Code, bold words and links in a text. */
function inline(text: string): preact.ComponentChildren[] {
  const parts: preact.ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, bold, name, address] = match;
    parts.push(text.slice(from, match.index));
    from = match.index + whole.length;
    const key = match.index;
    if (code !== undefined) parts.push(<code key={key}>{code.trim()}</code>);
    else if (bold !== undefined) parts.push(<strong key={key}>{bold}</strong>);
    else
      parts.push(
        <a key={key} href={address} rel="noreferrer" target="_blank">
          {name}
        </a>,
      );
  }
  parts.push(text.slice(from));
  return parts;
}
