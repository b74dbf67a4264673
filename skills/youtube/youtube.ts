import type { Run } from "deputize/skill";
import { decodeXml, jsonAfter } from "./page.ts";

/** What the site's own pages say they are, when they ask its interface. */
const CLIENT = { clientName: "WEB", clientVersion: "2.20260101.00.00", hl: "en", gl: "US" };

interface Track {
  readonly baseUrl: string;
  readonly languageCode: string;
  /** `asr`: written down by a machine. */
  readonly kind?: string;
}

interface Player {
  readonly playabilityStatus?: { status?: string; reason?: string };
  readonly videoDetails?: {
    videoId: string;
    title: string;
    lengthSeconds: string;
    channelId: string;
    shortDescription: string;
    viewCount: string;
    author: string;
    keywords?: string[];
    thumbnail?: { thumbnails?: { url: string; width: number }[] };
  };
  readonly microformat?: { playerMicroformatRenderer?: { publishDate?: string } };
  readonly captions?: { playerCaptionsTracklistRenderer?: { captionTracks?: Track[] } };
}

export async function getVideo(run: Run) {
  const player = await playerOf(run, String(run.params["url"]));
  return videoOf(player);
}

export async function getTranscript(run: Run) {
  const player = await playerOf(run, String(run.params["url"]));
  const video = videoOf(player);
  const said = await transcript(run, player, String(run.params["language"]));
  if (said === undefined) throw new Error(`${video.name} has no transcript`);
  const times = run.params["times"] === true;
  return {
    id: `${video.id}/${said.language}`,
    name: video.name,
    url: video.url,
    author: video.author,
    published: video.published,
    language: said.language,
    source_type: said.byMachine ? "machine" : "author",
    duration_seconds: video.duration_seconds,
    content: said.lines.map(({ at, text }) => (times ? `${minute(at)} ${text}` : text)).join("\n"),
    segments: said.lines,
    transcribes: { video: { id: video.id, name: video.name, url: video.url } },
  };
}

export async function readPage(run: Run) {
  const url = String(run.params["url"]);
  const player = await playerOf(run, url);
  const video = videoOf(player);
  const said = await transcript(run, player, "en");
  const spoken =
    said === undefined ? "" : `\n\n## What is said\n\n${said.lines.map(({ text }) => text).join("\n")}`;
  return {
    id: video.url,
    url: video.url,
    name: video.name,
    author: video.author,
    published: video.published,
    image: video.image,
    text: video.text?.slice(0, 300),
    content: `# ${video.name}\n\n${video.text ?? ""}${spoken}`,
  };
}

export async function search({ http, params }: Run) {
  const answer = await http.post("/youtubei/v1/search?prettyPrint=false", {
    mode: "fetch",
    json: { context: { client: CLIENT }, query: params["query"] },
  });
  if (!answer.ok) throw new Error(`YouTube answered ${answer.status}`);
  const found: ReturnType<typeof videoOfCard>[] = [];
  collect(answer.json(), "videoRenderer", (card) => found.push(videoOfCard(card as Card)));
  return found.slice(0, Math.min(Number(params["limit"]), 20));
}

export async function listChannelVideos({ http, params }: Run) {
  const id = await channelId(http, String(params["channel"]));
  const feed = await http.get("/feeds/videos.xml", { query: { channel_id: id } });
  if (!feed.ok)
    throw new Error(`There is no channel ${String(params["channel"])} (YouTube answered ${feed.status})`);
  return [...feed.text().matchAll(/<entry>([\s\S]*?)<\/entry>/g)].map(([, entry = ""]) => {
    const part = (name: string) =>
      decodeXml(new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}>`).exec(entry)?.[1] ?? "");
    const video = part("yt:videoId");
    return {
      id: video,
      name: part("title"),
      url: `https://www.youtube.com/watch?v=${video}`,
      author: part("name"),
      text: part("media:description").slice(0, 500),
      published: part("published"),
      image: `https://i.ytimg.com/vi/${video}/hqdefault.jpg`,
      channel: { channel: { id, name: part("name"), url: `https://www.youtube.com/channel/${id}` } },
    };
  });
}

async function playerOf({ http }: Run, given: string): Promise<Player> {
  const answer = await http.get("/watch", { query: { v: videoId(given), hl: "en" } });
  const player = jsonAfter(answer.text(), "ytInitialPlayerResponse = ") as Player | undefined;
  if (player?.videoDetails !== undefined) return player;
  const why = player?.playabilityStatus?.reason ?? `YouTube answered ${answer.status}`;
  throw new Error(`${given} cannot be seen here: ${why}`);
}

function videoOf({ videoDetails, microformat, captions }: Player) {
  if (videoDetails === undefined) throw new Error("The page has no video");
  const { videoId: id, title, author, channelId: channel } = videoDetails;
  const image = videoDetails.thumbnail?.thumbnails?.toSorted((a, b) => b.width - a.width)[0]?.url;
  return {
    id,
    name: title,
    url: `https://www.youtube.com/watch?v=${id}`,
    author,
    text: videoDetails.shortDescription,
    published: microformat?.playerMicroformatRenderer?.publishDate,
    image,
    duration_seconds: Number(videoDetails.lengthSeconds),
    captions:
      captions?.playerCaptionsTracklistRenderer?.captionTracks?.map(({ languageCode }) => languageCode) ?? [],
    channel: { channel: { id: channel, name: author, url: `https://www.youtube.com/channel/${channel}` } },
    post: {
      post: {
        id,
        name: title,
        url: `https://www.youtube.com/watch?v=${id}`,
        view_count: Number(videoDetails.viewCount),
      },
    },
  };
}

interface Words {
  readonly simpleText?: string;
  readonly runs?: { text: string; navigationEndpoint?: { browseEndpoint?: { browseId?: string } } }[];
}

interface Card {
  readonly videoId: string;
  readonly title?: Words;
  readonly ownerText?: Words;
  readonly lengthText?: Words;
  readonly publishedTimeText?: Words;
  readonly detailedMetadataSnippets?: { snippetText?: Words }[];
}

function videoOfCard(card: Card) {
  const text = (of: Words | undefined) => of?.simpleText ?? of?.runs?.map((run) => run.text).join("");
  const channel = card.ownerText?.runs?.[0]?.navigationEndpoint?.browseEndpoint?.browseId;
  const parts = (text(card.lengthText) ?? "").split(":").map(Number);
  return {
    id: card.videoId,
    name: text(card.title) ?? "",
    url: `https://www.youtube.com/watch?v=${card.videoId}`,
    author: text(card.ownerText),
    text: card.detailedMetadataSnippets?.map((one) => text(one.snippetText)).join(" "),
    published: text(card.publishedTimeText),
    duration_seconds: parts.some(Number.isNaN) ? undefined : parts.reduce((sum, part) => sum * 60 + part, 0),
    ...(channel ? { channel: { channel: { id: channel, name: text(card.ownerText) } } } : {}),
  };
}

async function transcript({ http }: Run, { captions }: Player, language: string) {
  const tracks = captions?.playerCaptionsTracklistRenderer?.captionTracks ?? [];
  const fits = (one: Track) => one.languageCode.split("-")[0] === language.split("-")[0];
  const written = (one: Track) => one.kind !== "asr";
  const track =
    tracks.find((one) => fits(one) && written(one)) ?? tracks.find(fits) ?? tracks.find(written) ?? tracks[0];
  if (track === undefined) return undefined;
  const answer = await http.get(track.baseUrl, { query: { fmt: "json3" }, mode: "fetch" });
  if (!answer.ok || answer.text() === "") return undefined;
  const events: { tStartMs?: number; segs?: { utf8?: string }[] }[] = answer.json().events ?? [];
  const lines = events
    .map(({ tStartMs = 0, segs = [] }) => ({
      at: tStartMs / 1000,
      text: segs
        .map(({ utf8 = "" }) => utf8)
        .join("")
        .replace(/\s+/g, " ")
        .trim(),
    }))
    .filter(({ text }) => text !== "");
  return { lines, language: track.languageCode, byMachine: track.kind === "asr" };
}

async function channelId(http: Run["http"], given: string): Promise<string> {
  const direct = /(?:^|\/channel\/)(UC[\w-]{20,})/.exec(given)?.[1];
  if (direct !== undefined) return direct;
  const name = /@[\w.-]+/.exec(given)?.[0] ?? `@${given}`;
  const page = (await http.get(`/${name}`)).text();
  const id = /"(?:externalId|channelId)":"(UC[\w-]+)"/.exec(page)?.[1];
  if (id === undefined) throw new Error(`There is no channel ${given}`);
  return id;
}

function videoId(given: string): string {
  const id =
    /(?:[?&]v=|youtu\.be\/|\/(?:shorts|live|embed|v)\/)([\w-]{11})/.exec(given)?.[1] ??
    /^[\w-]{11}$/.exec(given)?.[0];
  if (id === undefined) throw new Error(`${given} is no address of a video`);
  return id;
}

function minute(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Every object under a key, however deep: the site moves its cards about. */
function collect(value: unknown, key: string, take: (found: unknown) => void): void {
  if (Array.isArray(value)) for (const one of value) collect(one, key, take);
  else if (value !== null && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) {
      if (name === key) take(inner);
      else collect(inner, key, take);
    }
  }
}
