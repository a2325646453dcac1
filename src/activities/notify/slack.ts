import { fitted } from "../../core/base/whole-characters";
import { type Channel, decisionFacts, headline, quotedBody } from "./channel";
import { postJson } from "./post-json";

/** Limits of Slack's blocks. */
const MAX_HEADER_CHARS = 150;
const MAX_TEXT_CHARS = 2_900;

/**
 * A Slack-compatible incoming webhook. Only `text` is Slack's own markup, with everything escaped in it: no title can
 * call a whole channel or hide where a link leads.
 */
export function slackChannel(url: URL): Channel {
  return {
    recipients: () => [{ to: "the channel of the webhook" }],
    async send({ id, notification, link }, signal) {
      const title = headline(notification);
      const body = quotedBody(notification);
      const facts = factsOf(notification);
      const text = [title, ...facts].map(escaped).join("\n") + (link === null ? "" : `\n<${link}|Decide>`);
      const blocks = [
        { type: "header", text: plain(title, MAX_HEADER_CHARS) },
        ...(body === "" ? [] : [{ type: "section", text: plain(body, MAX_TEXT_CHARS) }]),
        { type: "context", elements: facts.map((fact) => plain(fact, MAX_TEXT_CHARS)) },
        ...(link === null
          ? []
          : [{ type: "actions", elements: [{ type: "button", text: plain("Decide", MAX_HEADER_CHARS), url: link }] }]),
      ];
      await postJson(url, JSON.stringify({ text, blocks }), { "webhook-id": id }, signal);
    },
  };
}

function factsOf(notification: Parameters<typeof headline>[0]): string[] {
  if (!("review" in notification)) return [notification.workflow_id];
  const { id, choices, assignees } = notification.review;
  return [...decisionFacts(choices, assignees), `Review: ${id}`];
}

const plain = (text: string, chars: number) => ({
  type: "plain_text",
  text: fitted(text, chars),
  emoji: false,
});

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
