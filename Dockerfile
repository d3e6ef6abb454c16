# syntax=docker/dockerfile:1

# ---- build: everything, to compile ----
FROM node:24-bookworm-slim AS build
WORKDIR /app
# With optional dependencies: the bundler of the console has its native parts there.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY .dev/build.mjs ./.dev/build.mjs
COPY src ./src
RUN node .dev/build.mjs

# ---- dependencies: what the service needs at run time ----
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
# The containers use a Postgres of their own: the embedded one (optional dependency) stays out.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# ---- identity-provider: only for trying SSO (profile `sso` of the compose file) ----
FROM build AS identity-provider
COPY test/support/identity-provider.ts ./test/support/
USER node
EXPOSE 4000
# Node runs TypeScript that only needs its types taken away.
CMD ["node", "test/support/identity-provider.ts"]

# ---- service: the image that is deployed ----
FROM node:24-bookworm-slim AS service
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
