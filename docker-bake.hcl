// The image for both platforms: docker buildx bake (--push with IMAGE set), or `docker buildx bake local` for this machine alone.

variable "IMAGE" { default = "photomat" }
variable "VERSION" { default = "" }
variable "REVISION" { default = "" }
variable "CREATED" { default = "" }
variable "SOURCE" { default = "" }
variable "AUDIO" { default = "" }
variable "EXTRAS" { default = "" }

group "default" {
  targets = ["image"]
}

target "image" {
  context    = "."
  dockerfile = "Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = notequal(VERSION, "") ? ["${IMAGE}:${VERSION}", "${IMAGE}:latest"] : ["${IMAGE}:latest"]
  args = {
    AUDIO    = AUDIO
    EXTRAS   = EXTRAS
    VERSION  = VERSION
    REVISION = REVISION
    CREATED  = CREATED
    SOURCE   = SOURCE
  }
}

target "local" {
  inherits  = ["image"]
  platforms = []
  output    = ["type=docker"]
}
