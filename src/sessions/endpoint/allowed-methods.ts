/**
 * What a client may call. Whatever is not here is refused, so that a method a later browser learns is too. Methods
 * that take a path, an address or somebody's id are looked at once more in rules.
 */
export type Level = "browser" | "target";

const TARGET = `activateTarget attachToBrowserTarget attachToTarget autoAttachRelated closeTarget createTarget
  detachFromTarget getBrowserContexts getTargetInfo getTargets setAutoAttach setDiscoverTargets`;
const BROWSER = `cancelDownload close getVersion getWindowBounds getWindowForTarget grantPermissions resetPermissions
  setContentsSize setDownloadBehavior setPermission setWindowBounds`;

/** Of the browser's own session: nearly everything else there reaches all contexts. */
const ON_BROWSER = { Browser: BROWSER, Target: TARGET, Storage: "clearCookies getCookies setCookies" };

/** Of pages, frames and workers. Left out: what acts on the whole browser, writes files, or reads other processes. */
const ON_TARGET = {
  Browser: BROWSER,
  Target: TARGET,
  Accessibility: `disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode
    queryAXTree`,
  Animation: `disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations
    setPaused setPlaybackRate setTiming`,
  Audits: "checkFormsIssues disable enable getEncodedResponse",
  CacheStorage: "deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries",
  Console: "clearMessages disable enable",
  CSS: `addRule collectClassNames createStyleSheet disable enable forcePseudoState forceStartingStyle
    getAnimatedStylesForNode getBackgroundColors getComputedStyleForNode getEnvironmentVariables
    getInlineStylesForNode getLayersForNode getLocationForSelector getLonghandProperties getMatchedStylesForNode
    getMediaQueries getPlatformFontsForNode getStyleSheetText resolveValues setContainerQueryText
    setEffectivePropertyValueForNode setKeyframeKey setLocalFontsEnabled setMediaText setPropertyRulePropertyName
    setRuleSelector setScopeText setStyleSheetText setStyleTexts setSupportsText startRuleUsageTracking
    stopRuleUsageTracking takeComputedStyleUpdates takeCoverageDelta trackComputedStyleUpdates
    trackComputedStyleUpdatesForNode`,
  Debugger: `continueToLocation disable disassembleWasmModule enable evaluateOnCallFrame getPossibleBreakpoints
    getScriptSource getStackTrace getWasmBytecode nextWasmDisassemblyChunk pause pauseOnAsyncCall removeBreakpoint
    restartFrame resume searchInContent setAsyncCallStackDepth setBlackboxExecutionContexts setBlackboxPatterns
    setBlackboxedRanges setBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive
    setInstrumentationBreakpoint setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses
    setVariableValue stepInto stepOut stepOver`,
  DeviceOrientation: "clearDeviceOrientationOverride setDeviceOrientationOverride",
  DOM: `collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus
    forceShowPopover getAnchorElement getAttributes getBoxModel getContainerForNode getContentQuads
    getDetachedDomNodes getDocument getElementByRelation getFileInfo getFlattenedDocument getFrameOwner
    getNodeForLocation getNodeStackTraces getNodesForSubtreeByStyle getOuterHTML
    getQueryingDescendantsForContainer getRelayoutBoundary getSearchResults getTopLayerElements hideHighlight
    highlightNode highlightRect markUndoableState moveTo performSearch pushNodeByPathToFrontend
    pushNodesByBackendIdsToFrontend querySelector querySelectorAll redo removeAttribute removeNode
    requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributeValue setAttributesAsText
    setFileInputFiles setInspectedNode setNodeName setNodeStackTracesEnabled setNodeValue setOuterHTML undo`,
  DOMDebugger: `getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeXHRBreakpoint
    setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint setXHRBreakpoint`,
  DOMSnapshot: "captureSnapshot disable enable",
  DOMStorage: "clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem",
  Emulation: `canEmulate clearDeviceMetricsOverride clearDevicePostureOverride clearDisplayFeaturesOverride
    clearGeolocationOverride clearIdleOverride resetPageScaleFactor setAutoDarkModeOverride setAutomationOverride
    setCPUThrottlingRate setDataSaverOverride setDefaultBackgroundColorOverride setDeviceMetricsOverride
    setDevicePostureOverride setDisabledImageTypes setDisplayFeaturesOverride setDocumentCookieDisabled
    setEmitTouchEventsForMouse setEmulatedMedia setEmulatedOSTextScale setEmulatedVisionDeficiency
    setFocusEmulationEnabled setGeolocationOverride setHardwareConcurrencyOverride setIdleOverride
    setLocaleOverride setNavigatorOverrides setPageScaleFactor setSafeAreaInsetsOverride
    setScriptExecutionDisabled setScrollbarsHidden setTimezoneOverride setTouchEmulationEnabled
    setUserAgentOverride setVirtualTimePolicy setVisibleSize`,
  EventBreakpoints: "disable removeInstrumentationBreakpoint setInstrumentationBreakpoint",
  FedCm: "clickDialogButton disable dismissDialog enable openUrl resetCooldown selectAccount",
  Fetch: `continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest
    getResponseBody takeResponseBodyAsStream`,
  HeapProfiler: `addInspectedHeapObject collectGarbage disable enable getHeapObjectId getObjectByHeapObjectId
    getSamplingProfile startSampling startTrackingHeapObjects stopSampling stopTrackingHeapObjects
    takeHeapSnapshot`,
  IndexedDB: `clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata requestData
    requestDatabase requestDatabaseNames`,
  Input: `cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent
    emulateTouchFromMouseEvent imeSetComposition insertText setIgnoreInputEvents setInterceptDrags
    synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture`,
  Inspector: "disable enable",
  IO: "close read resolveBlob",
  Log: "clear disable enable startViolationsReport stopViolationsReport",
  Media: "disable enable",
  Memory: "forciblyPurgeJavaScriptMemory getDOMCounters",
  Network: `canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCache
    clearBrowserCookies clearAcceptedEncodingsOverride configureDurableMessages deleteCookies disable
    emulateNetworkConditions emulateNetworkConditionsByRule enable enableReportingApi fetchSchemefulSite
    getAllCookies getCertificate getCookies getRequestPostData getResponseBody getSecurityIsolationStatus
    loadNetworkResource overrideNetworkState replayXHR searchInResponseBody setAcceptedEncodings
    setAttachDebugStack setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies
    setExtraHTTPHeaders setUserAgentOverride streamResourceContent`,
  Overlay: `disable enable hideHighlight highlightFrame highlightNode highlightQuad highlightRect
    highlightSourceOrder setInspectMode setPausedInDebuggerMessage setShowAdHighlights
    setShowContainerQueryOverlays setShowDebugBorders setShowFPSCounter setShowFlexOverlays setShowGridOverlays
    setShowHinge setShowHitTestBorders setShowIsolatedElements setShowLayoutShiftRegions setShowPaintRects
    setShowScrollBottleneckRects setShowScrollSnapOverlays setShowViewportSizeOnResize setShowWebVitals
    setShowWindowControlsOverlay`,
  Page: `addCompilationCache addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront
    captureScreenshot captureSnapshot clearCompilationCache clearDeviceMetricsOverride
    clearDeviceOrientationOverride clearGeolocationOverride close crash createIsolatedWorld deleteCookie disable
    enable generateTestReport getAdScriptAncestry getAppId getAppManifest getFrameTree getInstallabilityErrors
    getLayoutMetrics getManifestIcons getNavigationHistory getOriginTrials getPermissionsPolicyState
    getResourceContent getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF
    produceCompilationCache reload removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument
    resetNavigationHistory screencastFrameAck searchInResource setAdBlockingEnabled setBypassCSP
    setDeviceMetricsOverride setDeviceOrientationOverride setDocumentContent setDownloadBehavior setFontFamilies
    setFontSizes setGeolocationOverride setInterceptFileChooserDialog setLifecycleEventsEnabled
    setPrerenderingAllowed setTouchEmulationEnabled setWebLifecycleState startScreencast stopLoading
    stopScreencast waitForDebugger`,
  Performance: "disable enable getMetrics setTimeDomain",
  PerformanceTimeline: "enable",
  Preload: "disable enable",
  Profiler: `disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop
    stopPreciseCoverage takePreciseCoverage`,
  Runtime: `addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate
    getExceptionDetails getHeapUsage getIsolateId getProperties globalLexicalScopeNames queryObjects
    releaseObject releaseObjectGroup removeBinding runIfWaitingForDebugger runScript setAsyncCallStackDepth
    setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution`,
  Schema: "getDomains",
  Security: "disable enable",
  ServiceWorker: `deliverPushMessage disable dispatchPeriodicSyncEvent dispatchSyncEvent enable
    setForceUpdateOnPageLoad skipWaiting startWorker stopAllWorkers stopWorker unregister updateRegistration`,
  Storage: `clearCookies clearDataForOrigin clearDataForStorageKey deleteStorageBucket getCookies getStorageKey
    getStorageKeyForFrame getUsageAndQuota overrideQuotaForOrigin setCookies setStorageBucketTracking
    trackCacheStorageForOrigin trackCacheStorageForStorageKey trackIndexedDBForOrigin
    trackIndexedDBForStorageKey untrackCacheStorageForOrigin untrackCacheStorageForStorageKey
    untrackIndexedDBForOrigin untrackIndexedDBForStorageKey`,
  WebAudio: "disable enable getRealtimeData",
  WebAuthn: `addCredential addVirtualAuthenticator clearCredentials disable enable getCredential getCredentials
    removeCredential removeVirtualAuthenticator setAutomaticPresenceSimulation setCredentialProperties
    setResponseOverrideBits setUserVerified`,
  WebMCP: "cancelInvocation disable enable invokeTool",
};

const LISTS: Readonly<Record<Level, ReadonlySet<string>>> = {
  browser: listOf(ON_BROWSER),
  target: listOf(ON_TARGET),
};

export function isAllowed(method: string, level: Level): boolean {
  return LISTS[level].has(method);
}

function listOf(domains: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(
    Object.entries(domains).flatMap(([domain, methods]) =>
      methods.split(/\s+/).map((method) => `${domain}.${method}`),
    ),
  );
}
