/** The process is well. */
export class HealthResponse {
  /**
   * Always `ok`; anything else is an error answer.
   * @example "ok"
   */
  status: 'ok';
}

/** The version of the service. */
export class VersionResponse {
  /**
   * Version of the release.
   * @example "0.1.0"
   */
  version: string;
}
