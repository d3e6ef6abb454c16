import { Matches, Optional } from '../../../common/validation/rules.js';
import { isReturnPath } from './return-path.js';

/** Where a browser goes after it has signed in. */
export class SsoQuery {
  /**
   * A path of the console.
   * @example "/console/usage?range=28d"
   */
  @Optional()
  @Matches((value) => typeof value === 'string' && isReturnPath(value), {
    message: 'must be a path that begins with /console/',
    schema: { type: 'string', pattern: '^/console/', maxLength: 2000 },
  })
  to?: string;
}
