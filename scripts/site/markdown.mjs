// Markdown of the repository as HTML of the site: headings with anchors, links to the site's own pages, and the sections for the search.
import path from "node:path";
import { Marked } from "marked";
import { addressOf } from "./pages.mjs";

export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const plain = (html) =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Anchors as GitHub gives them, so that links of the repository hold. */
function anchors() {
  const used = new Map();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/**
 * One page.
 *
 * @param files the repository's files that are pages
 * @param isFolder whether a path of the repository is a folder: a site has no page for it, so it is named without a link
 * @returns html; `sections` for the search, each with the anchor of its heading; `links` that leave the page, as addresses in the
 *   site; `copied`: files of the repository that are linked to and are no pages
 */
export function renderPage({ file, address, text }, files, isFolder) {
  const anchorOf = anchors();
  const sections = [];
  const links = [];
  const copied = new Set();
  const from = path.posix.dirname(address);

  function hrefOf(href) {
    if (/^[a-z]+:/.test(href)) return href;
    const [target, anchor] = href.split("#");
    if (target === "") {
      links.push({ address, anchor });
      return href;
    }
    const there = path.posix.join(path.posix.dirname(file), target).replace(/\/$/, "");
    const page = [there, `${there}/README.md`].find((one) => files.has(one));
    if (page === undefined && isFolder(there)) return undefined;
    if (page === undefined) copied.add(there);
    const to = page === undefined ? there : addressOf(page);
    links.push({ address: to, anchor });
    const relative = path.posix.relative(from, to);
    return anchor === undefined ? relative : `${relative}#${anchor}`;
  }

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const id = anchorOf(plain(html));
        sections.push({ id, heading: plain(html) });
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = hrefOf(href);
        const html = this.parser.parseInline(tokens);
        return to === undefined ? html : `<a href="${escaped(to)}">${html}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${escaped(hrefOf(href))}" alt="${escaped(alt)}" loading="lazy">`;
      },
      html: ({ text: html }) => (html.trimStart().startsWith("<!--") ? "" : html),
    },
  });
  const html = marked
    .parse(text)
    .replaceAll("<table>", '<div class="wide"><table>')
    .replaceAll("</table>", "</table></div>");
  return { html, sections: withWords(file, html, sections), links, copied };
}

/** Pages whose tables are looked up by their first column: each row is found on its own. */
const BY_ROW = new Set(["docs/errors.md", "docs/glossary.md"]);

/** The text below each heading, to the next one; and the rows that are found on their own, under the section's address. */
function withWords(file, html, sections) {
  const parts = html.split(/<h[1-6] id="[^"]*">[\s\S]*?<\/h[1-6]>/);
  return sections.flatMap(({ id, heading }, i) => {
    const part = parts[i + 1] ?? "";
    const rows = BY_ROW.has(file) ? [...part.matchAll(/<tr>\s*<td>(.*?)<\/td>([\s\S]*?)<\/tr>/g)] : [];
    const found = rows.map(([, first, others]) => ({ id, heading: plain(first), text: words(others) }));
    return [{ id, heading, text: words(part) }, ...found];
  });
}

const words = (html) => plain(html.replaceAll("<", " <")).replace(/\s+/g, " ").trim();
