/** The process is well. */
export class HealthResponse {
  /**
   * Always `ok`; anything else is an error answer.
   * @example "ok"
   */
  status: 'ok';
}
