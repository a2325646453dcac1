// A model on the loopback interface that speaks a provider's API: chat completions, as Groq has them.
import { createServer } from "node:http";

/** @returns its address, what it was sent, and how to stop it. It answers each request with `content`. */
export async function startProvider(content) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { authorization } = request.headers;
    const call = JSON.parse(text);
    seen.push({ path: request.url, authorization, ...call });
    const message = { role: "assistant", content };
    const answer = {
      ...{ id: `answer-${seen.length}`, created: 1, model: "house-1" },
      object: call.stream ? "chat.completion.chunk" : "chat.completion",
      choices: [{ index: 0, [call.stream ? "delta" : "message"]: message, finish_reason: "stop" }],
      usage: { prompt_tokens: 120, completion_tokens: 8, total_tokens: 128 },
    };
    response.setHeader("content-type", call.stream ? "text/event-stream" : "application/json");
    response.end(call.stream ? `data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n` : JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() };
}
