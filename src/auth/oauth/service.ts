export { type OAuthService, oauthService } from "./service-lookup.ts";
