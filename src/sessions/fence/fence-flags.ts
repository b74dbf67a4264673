/**
 * What a browser with fenced sessions must be started with: a proxy alone does not stop WebRTC, whose packets go around
 * it. Chromium renamed the flag (the old one is ignored by 156, measured), so that both are given.
 */
export const FENCE_FLAGS: readonly string[] = [
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
];
