/** Declares a query whose parameters others decide, such as an identity provider. Repeated ones are left out. */
export class AnyQuery {
  constructor(readonly values: Readonly<Record<string, string>>) {}
}
