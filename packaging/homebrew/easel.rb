# Made by make dist from packaging/homebrew/easel.rb. Put it into the Formula directory of a tap.
class Easel < Formula
  desc "Run code in Jupyter kernels and show the user every plot: an MCP server"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    url "@DOWNLOADS@/easel-headless-@VERSION@-macos.tar.gz"
    sha256 "@SHA256_MACOS@"
  end

  on_linux do
    on_intel do
      url "@DOWNLOADS@/easel-headless-@VERSION@-linux-amd64.tar.gz"
      sha256 "@SHA256_AMD64@"
    end
    on_arm do
      url "@DOWNLOADS@/easel-headless-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256_ARM64@"
    end
  end

  def install
    bin.install "easel"
  end

  def caveats
    <<~EOS
      This is Easel without a window. On its first start, it needs Python 3.10 or newer, or uv.
      Before you remove it, `easel uninstall` deletes its files in your home directory.
    EOS
  end

  test do
    assert_match "easel #{version}", shell_output("#{bin}/easel version")
  end
end
