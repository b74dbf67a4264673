/**
 * Browser sessions for agents: isolated contexts of one shared Chromium, cloned from a login, a profile or a saved state
 * at first use, so that several agents use one login and none sees what another did with it. It decides nothing about
 * who may: it is handed an owner and a source by who knows. It never changes a source unless write-back was asked for,
 * and hands no agent a way to the whole browser.
 */
export { takePicture } from "./browser/take-picture.ts";
export { captureAt, captureInSession } from "./capture/capture-in.ts";
export type { Body, Capture, Exchange, Header, WantedNavigation } from "./capture/exchange.ts";
export type { Action, ActResult } from "./drive/action.ts";
export { Driver } from "./drive/driver.ts";
export { LoopbackEndpointServer, type ServedEndpoint } from "./endpoint/endpoint-server.ts";
export type { OpenSession } from "./open-session.ts";
export type { SessionLimits } from "./rooms.ts";
export type { OpenRequest } from "./session-entry.ts";
export { Sessions, type SessionsParts } from "./sessions.ts";
export { sourceLabel } from "./source-label.ts";
export type {
  HiddenCookie,
  LiveSession,
  Refused,
  SessionOwner,
  SessionSeed,
  SessionSource,
  SessionView,
  Tab,
  WriteBack,
} from "./session.ts";
export { originStorage } from "./storage/storage-page.ts";
export type { ProfileStorage } from "./storage/profile-storage.ts";
export type { OriginStorage } from "./storage/origin-storage.ts";
