import assert from "node:assert/strict";
import type { Service } from "./service.ts";

const id = "jNQXAC9IVRw";
const channel = "UC4QobU6STFB0P71PMvOGN5A";
const player = {
  playabilityStatus: { status: "OK" },
  videoDetails: {
    videoId: id,
    title: 'Me at the "zoo" }; {',
    lengthSeconds: "19",
    channelId: channel,
    shortDescription: "Elephants",
    viewCount: "300000000",
    author: "jawed",
    thumbnail: {
      thumbnails: [
        { url: "https://i.ytimg.com/s.jpg", width: 120 },
        { url: "https://i.ytimg.com/l.jpg", width: 480 },
      ],
    },
  },
  microformat: { playerMicroformatRenderer: { publishDate: "2005-04-23T20:31:52-07:00" } },
  captions: {
    playerCaptionsTracklistRenderer: {
      captionTracks: [
        { baseUrl: `https://www.youtube.com/api/timedtext?v=${id}&lang=de`, languageCode: "de" },
        {
          baseUrl: `https://www.youtube.com/api/timedtext?v=${id}&lang=en&kind=asr`,
          languageCode: "en",
          kind: "asr",
        },
      ],
    },
  },
};
const runs = (text: string) => ({ runs: [{ text }] });

export const youtube: Service = {
  skill: "youtube",
  hosts: ["www.youtube.com"],
  answer({ method, path, query, body }) {
    if (path === "/watch" && query.get("v") === id)
      return {
        body: `<script>var ytInitialPlayerResponse = ${JSON.stringify(player)};var meta = {};</script>`,
      };
    if (path === "/watch")
      return {
        body: `<script>var ytInitialPlayerResponse = {"playabilityStatus":{"status":"ERROR","reason":"Video unavailable"}};</script>`,
      };
    if (path === "/api/timedtext") {
      assert.equal(query.get("fmt"), "json3");
      const text = query.get("lang") === "de" ? "Also gut" : "All right, so here we are";
      return {
        body: { events: [{ tStartMs: 0 }, { tStartMs: 61_500, segs: [{ utf8: text }, { utf8: "\n" }] }] },
      };
    }
    if (method === "POST" && path === "/youtubei/v1/search") {
      assert.ok(["zoo", "capability security"].includes(JSON.parse(body).query));
      const card = {
        videoId: id,
        title: runs("Me at the zoo"),
        ownerText: runs("jawed"),
        lengthText: { simpleText: "1:00:19" },
      };
      return {
        body: {
          contents: [
            { itemSectionRenderer: { contents: [{ videoRenderer: card }, { adSlotRenderer: {} }] } },
          ],
        },
      };
    }
    if (path === "/@jawed" || path === "/@YouTube")
      return { body: `<script>{"externalId":"${channel}"}</script>` };
    if (path === "/feeds/videos.xml" && query.get("channel_id") === channel)
      return {
        headers: { "content-type": "text/xml" },
        body: `<feed><title>jawed</title><entry><yt:videoId>${id}</yt:videoId><title>Me &amp; the zoo</title><author><name>jawed</name></author><published>2005-04-24T03:31:52+00:00</published><media:group><media:description>Elephants</media:description></media:group></entry></feed>`,
      };
    return undefined;
  },
  runs: [
    {
      tool: "get_video",
      params: { url: `https://youtu.be/${id}?t=3` },
      check: (data) => {
        assert.deepEqual([data.duration_seconds, data.image], [19, "https://i.ytimg.com/l.jpg"]);
        assert.equal(data.post.post.view_count, 300_000_000);
      },
      entity: ["video", 'Me at the "zoo" }; {'],
    },
    {
      tool: "get_transcript",
      params: { url: id, times: true },
      check: (data) =>
        assert.deepEqual([data.content, data.source_type], ["1:01 All right, so here we are", "machine"]),
    },
    {
      tool: "get_transcript",
      params: { url: id, language: "de" },
      check: (data) => assert.equal(data.content, "Also gut"),
    },
    { tool: "search", params: { query: "zoo" }, check: ([one]) => assert.equal(one.duration_seconds, 3619) },
    {
      tool: "list_channel_videos",
      params: { channel: "https://www.youtube.com/@jawed/videos" },
      check: ([one]) => assert.equal(one.name, "Me & the zoo"),
    },
    {
      tool: "read_page",
      params: { url: `https://www.youtube.com/watch?v=${id}` },
      check: (data) => assert.match(data.content, /Elephants\n\n## What is said\n\nAll right/),
    },
  ],
};
