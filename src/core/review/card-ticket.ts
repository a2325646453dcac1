/** Where the answer to a card in a chat has its ticket, in the part that hosts keep from models: `{ticket, until}`, ms since 1970. */
export const TICKET_KEY = "navigator/ticket";
